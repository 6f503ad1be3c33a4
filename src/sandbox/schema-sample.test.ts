import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import fc from '../../tests/harness/fast-check.ts'
import { sampleSchema, UnsatisfiableSchema } from './schema-sample.ts'

const ajv = new Ajv2020({ strict: false, validateFormats: false, ownProperties: true })
const sample = (schema: Record<string, unknown>) => sampleSchema(schema, { text: 'sample text' })

/** The sample, checked with Ajv's validator. */
function validSample(schema: Record<string, unknown>): unknown {
  const value = JSON.parse(JSON.stringify(sample(schema))) as unknown
  if (!ajv.validate(schema, value))
    throw new Error(`${JSON.stringify(value)} is not valid by ${JSON.stringify(schema)}: ${ajv.errorsText()}`)
  return value
}

const bounds = fc.tuple(fc.integer({ min: -50, max: 50 }), fc.nat(60))
/** Schemas without subschemas. */
const leaf: fc.Arbitrary<Record<string, unknown>> = fc.oneof(
  fc.constant({ type: 'boolean' }),
  fc.constant({ type: 'null' }),
  fc.constant({}),
  fc.record({
    const: fc.oneof(
      fc.string(),
      fc.integer(),
      fc.constant(null),
      fc.array(fc.boolean()),
      fc.record({ k: fc.string() }, { noNullPrototype: true }),
    ),
  }),
  fc.record({
    enum: fc.uniqueArray(fc.oneof(fc.string(), fc.integer()), { minLength: 1, maxLength: 4 }),
  }),
  bounds.map(([minimum, more]) => ({ type: 'integer', minimum, maximum: minimum + more })),
  bounds.map(([least, more]) => ({
    type: 'number',
    exclusiveMinimum: least,
    exclusiveMaximum: least + more + 0.5,
  })),
  fc
    .tuple(bounds, fc.constantFrom(0.5, 2, 5, 0.1, 7))
    .map(([[minimum], multipleOf]) => ({ type: 'number', minimum, multipleOf })),
  bounds.map(([maximum]) => ({ type: ['integer', 'null'], maximum })),
  fc
    .tuple(fc.nat(30), fc.nat(30))
    .map(([minLength, more]) => ({ type: 'string', minLength, maxLength: minLength + more })),
  fc
    .constantFrom(
      '^[A-Z]{3}-\\d{2,4}$',
      '^\\+?[0-9]{10,15}$',
      'ab+c',
      '^(red|green)$',
      '^[^@\\s]+@[a-z]+\\.(com|ir)$',
      '^[آ-ی]+$',
    )
    .map((pattern) => ({ type: 'string', pattern })),
  fc
    .constantFrom('date', 'date-time', 'email', 'uri', 'uuid', 'ipv4', 'ipv6')
    .map((format) => ({ type: 'string', format })),
)

/** Random satisfiable schemas of the supported subset. */
const { schema: anySchema } = fc.letrec<{ schema: Record<string, unknown> }>((tie) => {
  const part = tie('schema')
  const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'city', 'name', 'toString', 'نام', 'x/y'), {
    maxLength: 4,
  })
  const object = fc
    .tuple(names, fc.array(part, { minLength: 4, maxLength: 4 }), fc.nat(4), fc.boolean())
    .map(([keys, parts, required, additionalProperties]) => ({
      type: 'object',
      properties: Object.fromEntries(keys.map((key, index) => [key, parts[index]])),
      required: keys.slice(0, required),
      additionalProperties,
    }))
  const array = fc
    .tuple(part, fc.nat(3), fc.nat(3))
    .map(([items, minItems, more]) => ({ type: 'array', items, minItems, maxItems: minItems + more }))
  const tuple = fc.tuple(fc.array(part, { maxLength: 3 }), part).map(([prefixItems, items]) => ({
    type: 'array',
    ...(prefixItems.length > 0 ? { prefixItems } : {}),
    items,
  }))
  const branches = fc.tuple(fc.constantFrom('anyOf', 'oneOf'), part).map(([key, own]) => ({
    [key]: [
      { type: 'string', minLength: 3, maxLength: 9 },
      { type: 'object', properties: { own }, required: ['own'] },
    ],
  }))
  const both = object.map((own) => ({
    allOf: [
      { ...own, additionalProperties: true },
      { type: 'object', properties: { extra: { type: 'integer' } }, required: ['extra'] },
    ],
  }))
  return {
    schema: fc.oneof({ maxDepth: 4, withCrossShrink: true }, leaf, object, array, tuple, branches, both),
  }
})

describe('sampleSchema', () => {
  test('every schema of the supported subset gets a value that a public validator accepts', () => {
    fc.assert(
      fc.property(anySchema, (schema) => void validSample(schema)),
      { numRuns: 200 },
    )
  })

  test('the same schema gets the same value', () => {
    fc.assert(
      fc.property(anySchema, (schema) => void expect(sample(schema)).toEqual(sample(schema))),
      { numRuns: 50 },
    )
  })

  test('recursive schemas end', () => {
    const tree = {
      $ref: '#/$defs/node',
      $defs: {
        node: {
          type: 'object',
          properties: {
            value: { type: 'string' },
            children: { type: 'array', items: { $ref: '#/$defs/node' } },
          },
          required: ['value', 'children'],
          additionalProperties: false,
        },
      },
    }
    expect(validSample(tree)).toMatchObject({ children: [{ children: [] }] })
    const list = {
      type: 'object',
      properties: { next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } },
      required: ['next'],
    }
    expect(JSON.stringify(validSample(list))).toMatch(/null}+$/)
  })

  test('uniqueItems gets different items, of numbers, texts, booleans and objects', () => {
    for (const items of [
      { type: 'integer' },
      { type: 'string', maxLength: 2 },
      { enum: ['a', 'b', 'c', 'd'] },
      { type: 'object', properties: { id: { type: 'string', format: 'uuid' } }, required: ['id'] },
    ])
      expect(validSample({ type: 'array', items, minItems: 4, uniqueItems: true })).toHaveLength(4)
    expect(
      validSample({ type: 'array', items: { type: 'boolean' }, minItems: 2, uniqueItems: true }),
    ).toHaveLength(2)
  })

  test('not, if/then/else, contains, dependentRequired, patternProperties and minProperties are met', () => {
    validSample({ type: 'integer', minimum: 0, not: { multipleOf: 2 } })
    const conditional =
      '{"type":"object","properties":{"kind":{"const":"a"},"size":{"type":"integer"}},"required":["kind"],' +
      '"if":{"properties":{"kind":{"const":"a"}}},"then":{"required":["size"],"properties":{"size":{"minimum":7}}}}'
    validSample(JSON.parse(conditional) as Record<string, unknown>)
    validSample({ type: 'array', items: { type: 'integer' }, contains: { minimum: 90 }, minContains: 2 })
    validSample({ type: 'object', properties: { a: true }, required: ['a'], dependentRequired: { a: ['b'] } })
    validSample({
      type: 'object',
      patternProperties: { '^n': { type: 'number' } },
      required: ['n1'],
      additionalProperties: false,
    })
    validSample({ type: 'object', minProperties: 3, additionalProperties: { type: 'boolean' } })
  })

  test('formats look as their standards say', () => {
    const text = (format: string) => String(validSample({ type: 'string', format }))
    expect(Number.isNaN(Date.parse(text('date-time')))).toBe(false)
    expect(text('date')).toMatch(/^\d{4}-\d\d-\d\d$/)
    expect(text('uuid')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(URL.canParse(text('uri'))).toBe(true)
  })

  test('a valid hint is used, an invalid one is not', () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string', maxLength: 8 } },
      required: ['city'],
    }
    const withHint = (hint: string) =>
      sampleSchema(schema, { text: 'x', hint: ({ name }) => (name === 'city' ? hint : undefined) })
    expect(withHint('Tehran')).toEqual({ city: 'Tehran' })
    expect(withHint('Bandar Abbas')).toEqual({ city: 'x' })
  })

  test('a schema without a value, or beyond the sandbox, is refused and not answered wrongly', () => {
    const refused: Record<string, unknown>[] = [
      { type: 'object', properties: { a: false }, required: ['a'] },
      { allOf: [{ type: 'string' }, { type: 'integer' }] },
      { type: 'integer', minimum: 5, maximum: 4 },
      { type: 'string', pattern: '^(?=.*\\p{Lu})(?!.*x)\\p{Han}{12}$' },
      { $ref: '#/$defs/missing' },
      { $ref: '#' },
      { type: 'array', minItems: 1_000_000_000 },
      { type: 'string', minLength: 1_000_000_000 },
      { type: 'object', properties: { self: { $ref: '#' } }, required: ['self'] },
      { type: 'array', items: { type: 'boolean' }, minItems: 3, uniqueItems: true },
    ]
    for (const schema of refused)
      expect(() => sample(schema), JSON.stringify(schema)).toThrow(UnsatisfiableSchema)
  })

  test('schemas that branch without end and patterns that backtrack without end are refused quickly', () => {
    const doubling = {
      $ref: '#/$defs/d0',
      $defs: Object.fromEntries([
        ['d30', { type: 'string' }],
        ...Array.from({ length: 30 }, (_, index): [string, unknown] => {
          const deeper = { $ref: `#/$defs/d${index + 1}` }
          return [`d${index}`, { type: 'object', properties: { l: deeper, r: deeper }, required: ['l', 'r'] }]
        }),
      ]),
    }
    const evil = { type: 'string', pattern: '^(a+)+\\bz$', minLength: 40 }
    const before = process.cpuUsage()
    expect(() => sample(doubling)).toThrow(UnsatisfiableSchema)
    expect(() => sample(evil)).toThrow(UnsatisfiableSchema)
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`p${index}`, evil]))
    expect(() => sample({ type: 'object', properties: many })).toThrow(UnsatisfiableSchema)
    const lure = { type: 'string', pattern: '^(a+)+$', default: `${'a'.repeat(40)}!` }
    expect(() => sample({ type: 'array', items: lure, minItems: 100 })).toThrow(UnsatisfiableSchema)
    expect(validSample({ type: 'string', pattern: '^[a-z]+(-[a-z]+)*$', minLength: 30 })).toMatch(/^.{30}/)
    expect(process.cpuUsage(before).user).toBeLessThan(20_000_000)
  })
})
