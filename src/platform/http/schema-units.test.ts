import { Ajv2020 } from 'ajv/dist/2020.js'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { closed, nameSchemas, nullable, taggedUnion } from '#platform/schema'
import { maxWeight, SchemaUnits } from './schema-units.ts'

const options = { strict: false, discriminator: true, verbose: true, validateSchema: false } as const

/** Returns schema units, and a list of everything that was compiled. */
function counted() {
  const ajv = new Ajv2020(options)
  const compile = ajv.compile.bind(ajv)
  const compiled: unknown[] = []
  ajv.compile = ((schema: object) => {
    compiled.push(schema)
    return compile(schema)
  }) as never
  return { units: new SchemaUnits(ajv), compiled }
}

const fields = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, Type.Optional(Type.String())]))
const Block = Type.Object({ type: Type.Literal('block'), ...fields(30) }, closed)
const Other = Type.Object({ type: Type.Literal('other'), ...fields(31) }, closed)
nameSchemas({ UnitTestBlock: Block })
const Body = Type.Object({
  blocks: Type.Array(taggedUnion('type', [Block, Other])),
  last: Type.Optional(nullable(Block)),
})
const Rows = Type.Object({ rows: Type.Array(Type.Object({ params: Body, one: Block })) })

test('nothing is compiled before a value needs it, and a block of several schemas is compiled once', () => {
  const { units, compiled } = counted()
  const body = units.of(Body)
  const rows = units.of(Rows)
  expect(compiled).toHaveLength(0)
  expect(body.validate({ blocks: [] })).toBe(true)
  const none = compiled.length
  expect(body.validate({ blocks: [{ type: 'block' }], last: { type: 'block' } })).toBe(true)
  expect(compiled).toHaveLength(none + 1)
  expect(rows.validate({ rows: [{ params: { blocks: [{ type: 'block' }] }, one: { type: 'block' } }] })).toBe(
    true,
  )
  for (const unit of [...body.all(), ...rows.all()]) unit.compile()
  const texts = compiled.map((schema) => JSON.stringify(schema))
  expect(new Set(texts).size).toBe(texts.length)
  expect(texts.filter((text) => text.includes('"const":"block"') && text.includes('"f29"'))).toHaveLength(1)
})

test('a unit is of bounded size, however large its schema', () => {
  const { units } = counted()
  const Wide = Type.Object(
    Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`w${n}`, Type.Object(fields(n + 5))])),
  )
  const all = [...units.of(Wide).all()]
  expect(all.length).toBeGreaterThan(5)
  for (const { weight } of all) expect(weight).toBeLessThanOrEqual(maxWeight)
})

test.each([
  ['a good value', { blocks: [{ type: 'block', f1: 'x' }, { type: 'other' }] }],
  ['an unknown field in a block', { blocks: [{ type: 'block', zzz: 1 }] }],
  ['a wrong type in a block', { blocks: [{ type: 'other', f30: 4 }] }],
  ['an unknown tag', { blocks: [{ type: 'nothing' }] }],
  ['no tag', { blocks: [{}] }],
  ['a tag of another type', { blocks: [{ type: 4 }] }],
  ['no block at all', { blocks: [null] }],
  ['a wrong block outside of a union', { blocks: [], last: { type: 'other' } }],
])('%s is judged as by the whole schema', (_name, value) => {
  const { units } = counted()
  const { validate } = units.of(Body)
  const undivided = new Ajv2020(options).compile(Body)
  expect(validate(value)).toBe(undivided(value))
  const described = (errors: typeof undivided.errors) =>
    errors?.map(({ keyword, instancePath, params, message }) => ({
      keyword,
      instancePath,
      params,
      message,
    })) ?? []
  expect(described(validate.errors)).toEqual(described(undivided.errors))
})

test('a keyword that would have to see through units is refused', () => {
  const { units } = counted()
  expect(() => units.of({ type: 'object', unevaluatedProperties: false })).toThrow('unevaluatedProperties')
})
