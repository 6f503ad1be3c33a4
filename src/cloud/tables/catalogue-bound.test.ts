/** The cost of a catalogue that somebody made large. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { expectNoHold } from '../../../tests/cost/cost.ts'
import { readCatalogue } from './catalogue.ts'
import type { NameNotFound } from './refuse.ts'
import { findRelationship } from './relationship.ts'

const columnOf = (name: string) => ({
  ...{ name, number: 1, type: 'integer', operators: 'pg_catalog', notNull: true },
  ...{ default: null, isGenerated: false, description: null },
})
const table = (id: string, definition: string | null = null) => ({
  ...{ id, schema: 'public', name: `t${id}`, isView: definition !== null, description: null, definition },
  ...{ primaryKey: [], columns: [columnOf('id')], isUpdatable: true },
})
const showing = (id: string) =>
  `({QUERY :targetList ({TARGETENTRY :resno 1 :resorigtbl ${id} :resorigcol 1 :resjunk false}) :x <>})`

test('of many foreign keys and views all keys of tables are there, and some twenty thousand in all', () => {
  const views = ['1', '2'].flatMap((id) =>
    Array.from({ length: 30 }, (_, nth) => table(`${id}${nth + 100}`, showing(id))),
  )
  const foreignKeys = Array.from({ length: 5_000 }, (_, nth) => ({
    ...{ name: `k${nth}`, from: '1', columns: ['id'], to: '2', toColumns: ['id'], isUnique: false },
  }))
  const catalogue = readCatalogue(
    JSON.stringify({
      ...{
        version: '1',
        tables: [table('1'), table('2'), ...views],
        hidden: [],
        foreignKeys,
        routines: [],
        types: {},
      },
    }),
    ['public'],
  )
  const outgoing = catalogue.tables.flatMap((one) => catalogue.foreignKeysOf(one).outgoing)
  const ofTables = outgoing.filter(({ from, to }) => !from.isView && !to.isView)
  expect(ofTables).toHaveLength(5_000)
  expect(outgoing.length).toBeGreaterThanOrEqual(20_000)
  expect(outgoing.length).toBeLessThan(20_000 + 31 * 31)
})

test('two hundred tables are embedded at once whatever keys there are, also thousands between the same two tables', async () => {
  const key = (nth: number, from: string) => ({
    ...{ name: `k${from}_${nth}`, from, columns: ['id'], to: '1', toColumns: ['id'], isUnique: false },
  })
  const between = { ...table('2'), primaryKey: ['id'] }
  const others = Array.from({ length: 8_000 }, (_, nth) => table(String(nth + 10)))
  const keys = Array.from({ length: 2_000 }, (_, nth) => key(nth, '2'))
  const foreignKeys = [...keys, ...others.map(({ id }) => key(0, id))]
  const tables = [table('1'), between, ...others]
  const all = { version: '1', tables, hidden: [], foreignKeys, routines: [], types: {} }
  const catalogue = readCatalogue(JSON.stringify(all), ['public'])
  const [one, two] = ['t1', 't2'].map((name) => catalogue.table('public', name)!)
  const refused = (target: string, hint?: string) => () => findRelationship(catalogue, one!, { target, hint })
  // A turn of the event loop is measured where the next one begins.
  const expectQuick = (name: string, act: () => void) =>
    expectNoHold(name, async () => {
      act()
      await nextTurn()
    })
  await expectQuick('embedding', () => {
    for (let nth = 10; nth < 250; nth++)
      expect(findRelationship(catalogue, one!, { target: `t${nth}` }).table.name).toBe(`t${nth}`)
  })
  await expectQuick('four million relationships', () => {
    expect(refused('t1')).toThrow('more than one relationship')
  })
  expect(refused('t1', 'none')).toThrow('Could not find a relationship')
  // Tables alone may have been meant by an unknown name, not the keys and columns by which they go, too.
  await expectQuick('an unknown name', () => {
    try {
      refused('t11x')()
    } catch (error) {
      const { wanted, tables, hintOf } = error as NameNotFound
      expect([wanted, tables().length]).toEqual(['t11x', 8_002])
      expect(hintOf(catalogue.table('public', 't11')!).en).toBe("Perhaps you meant 't11' instead of 't11x'.")
    }
  })
  // Where a table is related to itself, each second key goes with every first one.
  expect(refused('t1', 'k2_7')).toThrow('more than one relationship')
  expect(findRelationship(catalogue, one!, { target: 't2', hint: 'k2_7' })).toMatchObject({
    table: two,
    hints: ['k2_7', 'id', 'id'],
  })
  await expectQuick('hints', () => {
    for (let nth = 0; nth < 240; nth++)
      expect(findRelationship(catalogue, one!, { target: 'id', hint: `k2_${nth}` }).table).toBe(two)
  })
})
