/** What a catalogue that somebody made large can cost. */
import { expect, test } from 'vitest'
import { readCatalogue } from '../../../src/engine/tables/catalogue.ts'

const columnOf = (name: string) => ({
  ...{ name, number: 1, type: 'integer', operators: 'pg_catalog', notNull: true },
  ...{ default: null, isGenerated: false, description: null },
})
const table = (id: string, definition: string | null = null) => ({
  ...{ id, schema: 'public', name: `t${id}`, isView: definition !== null, description: null, definition },
  ...{ primaryKey: [], columns: [columnOf('id')] },
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
      ...{ version: '1', tables: [table('1'), table('2'), ...views], foreignKeys, routines: [], types: {} },
    }),
    ['public'],
  )
  const outgoing = catalogue.tables.flatMap((one) => catalogue.foreignKeysOf(one).outgoing)
  const ofTables = outgoing.filter(({ from, to }) => !from.isView && !to.isView)
  expect(ofTables).toHaveLength(5_000)
  expect(outgoing.length).toBeGreaterThanOrEqual(20_000)
  expect(outgoing.length).toBeLessThan(20_000 + 31 * 31)
})
