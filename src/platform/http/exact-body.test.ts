import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { plainly, readJsonSync } from '#platform/json'
import { anyObject, nullable, taggedUnion } from '#platform/schema'
import { withExactNumbers } from './exact-body.ts'

const big = '9007199254740993'
const rounded = '9007199254740992'

const Block = taggedUnion('type', [
  Type.Object({ type: Type.Literal('call'), input: anyObject(), at: Type.Optional(Type.Number()) }),
  Type.Object({ type: Type.Literal('text'), text: Type.String() }, { additionalProperties: false }),
])
const Body = Type.Object({
  limit: Type.Optional(nullable(Type.Integer())),
  blocks: Type.Array(Block),
  record: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  vectors: Type.Optional(Type.Array(Type.Array(Type.Number()))),
})

/** The body as a handler would write it. */
const written = async (text: string): Promise<string> =>
  JSON.stringify(await withExactNumbers(Body, readJsonSync(text, { exact: true }) as object))

test('digits are kept where the schema leaves open what stands there, and declared numbers stay doubles', async () => {
  const body = (number: string, declared: string) =>
    `{"limit":${declared},"blocks":[{"type":"call","input":{"id":${number},"more":[[${number}]]},"at":${declared}}],` +
    `"record":{"a":${number},"__proto__":{"b":${number}}},"vectors":[[${declared},1]],"unknown":${number},"other":[${number}]}`
  expect(await written(body(big, big))).toBe(body(big, rounded))
})

test('a body without such a number, or with some in declared places alone, is the one that was checked', async () => {
  for (const text of ['{"blocks":[]}', `{"limit":${big},"blocks":[],"vectors":[[${big}]]}`]) {
    const body = readJsonSync(text, { exact: true })
    expect(await withExactNumbers(Body, body)).toBe(body)
  }
  const body = readJsonSync(`{"blocks":[],"record":{"a":${big}}}`, { exact: true })
  const exact = await withExactNumbers(Body, body)
  expect(exact).not.toBe(body)
  expect(plainly(exact)).toBe(body)
})
