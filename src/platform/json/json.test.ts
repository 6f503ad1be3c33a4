import { expect, test } from 'vitest'
import type { Slice } from '#platform/slices'
import fc, { anyCharacter } from '../../../tests/harness/fast-check.ts'
import { boundsOf, maxSyncBytes, readJson } from './json.ts'
import { JsonReader } from './json-reader.ts'
import { type JsonBounds, NotJson } from './not-json.ts'

const wide: JsonBounds = { maxDepth: 100, maxMembers: 10_000, maxValues: 1_000_000 }
/** A slice that is always over: the reader stops wherever it can. */
const over = { isOver: () => true } as Slice

function read(text: string | Buffer, bounds = wide): unknown {
  const reader = new JsonReader(Buffer.from(text as string), bounds)
  while (!reader.run(over));
  return reader.value
}

/** The value that was read, or that the text was refused. */
function outcome(parse: () => unknown): unknown {
  try {
    return { value: parse() }
  } catch {
    return 'refused'
  }
}

test('the reader in slices takes what JSON.parse takes, gives the same, and refuses what it refuses', () => {
  const spaced = fc.constantFrom(undefined, 1, '\t')
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8, stringUnit: anyCharacter }), spaced, (value, space) => {
      const text = JSON.stringify(value, undefined, space)
      expect(outcome(() => read(text))).toEqual({ value: JSON.parse(text) })
    }),
    { numRuns: 300 },
  )
  // One character of a valid text is removed, doubled or replaced.
  const signs = [...'{}[],:"\\/u0123456789.eE+-truefalsn \n\t\u0001س']
  const change = fc.record({ at: fc.nat(400), take: fc.nat(2), put: fc.constantFrom('', ...signs) })
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), change, (good, { at, take, put }) => {
      const text = (good.slice(0, at) + put + good.slice(at + take)).toWellFormed()
      expect(
        outcome(() => read(text)),
        text,
      ).toEqual(outcome(() => JSON.parse(text)))
    }),
    { numRuns: 2_000 },
  )
})

test.each([
  '',
  ' ',
  '"',
  '"\\',
  '"\\u12',
  '"\\u12"',
  '"\\ud83d\\ude00"',
  '"\\ud83d"',
  '"\\x"',
  '"a\nb"',
  '01',
  '-',
  '-0',
  '1.',
  '1e5',
  '1e999',
  '.5',
  'tru',
  'nul',
  'nullx',
  '[1,]',
  '[,1]',
  '{"a":1,}',
  '{"a" 1}',
  '{a:1}',
  '{"__proto__":{"b":1},"a":2,"a":3}',
  '[1] 2',
  '\ufeff1',
  '{"1":0,"b":1,"0":2}',
])('as JSON.parse: %j', (text) => {
  const mine = outcome(() => read(text))
  expect(mine).toEqual(outcome(() => JSON.parse(text)))
  expect(JSON.stringify(mine)).toBe(JSON.stringify(outcome(() => JSON.parse(text))))
})

test('long strings are cut nowhere that matters: in no escape, no character and no pair', () => {
  for (const unit of ['\\u0633', 'س', '😀', '\\ud83d\\ude00', '\\\\', '\\"a', 'abc'])
    for (const shift of [0, 1, 2, 3, 5]) {
      const text = `["${'x'.repeat(shift)}${unit.repeat(200_000)}"]`
      const mine = read(text) as string[]
      expect(mine[0] === JSON.parse(text)[0], unit).toBe(true)
    }
})

test('nothing is deeper, longer or fuller than its bound', () => {
  const trouble = (text: string, bounds: Partial<JsonBounds>): string | undefined => {
    try {
      read(text, { ...wide, ...bounds })
      return undefined
    } catch (error) {
      return (error as NotJson).trouble.kind
    }
  }
  expect(trouble('[[1]]', { maxDepth: 2 })).toBeUndefined()
  expect(trouble('[[[1]]]', { maxDepth: 2 })).toBe('tooDeep')
  expect(trouble('{"a":{"b":1,"c":2},"d":1}', { maxMembers: 2 })).toBeUndefined()
  expect(trouble('{"a":1,"b":1,"c":2}', { maxMembers: 2 })).toBe('tooManyMembers')
  expect(trouble('[1,2,3]', { maxValues: 4 })).toBeUndefined()
  expect(trouble('[1,2,3]', { maxValues: 3 })).toBe('tooManyValues')
})

test('the same bounds of depth and members hold for texts that are read at once and for larger ones', async () => {
  const fields = (count: number) =>
    `{${Array.from({ length: count }, (_, index) => `"${index}a":1`).join(',')}}`
  for (const filling of ['', ' '.repeat(maxSyncBytes)]) {
    const kind = (text: string) =>
      readJson(Buffer.from(filling + text), boundsOf(4 * maxSyncBytes)).then(
        () => 'read',
        (error: NotJson) => error.trouble.kind,
      )
    expect(await kind(fields(10_000))).toBe('read')
    expect(await kind(fields(10_001))).toBe('tooManyMembers')
    expect(await kind('['.repeat(100) + ']'.repeat(100))).toBe('read')
    expect(await kind('['.repeat(101) + ']'.repeat(101))).toBe('tooDeep')
    expect(await kind('{"a":')).toBe('endsEarly')
    expect(await kind('{"a":x}')).toMatch(/unexpected|unreadable/)
  }
  await expect(readJson(Buffer.from([0x22, 0xff, 0x22]), wide)).rejects.toBeInstanceOf(NotJson)
})

test('a text of 8 MB, and one of many names, is read in slices: other work has its turn in between', async () => {
  const names = Array.from({ length: 75_000 }, (_, nth) => `{"a${nth}":1}`)
  expect(names.join().length).toBeLessThan(maxSyncBytes)
  for (const text of [
    `[${names.join()}]`,
    `{"data":"${'QUJD'.repeat(2_000_000)}"}`,
    `[${'{"type":"text","text":"hello"},'.repeat(150_000)}1]`,
    `"${'\\u0633'.repeat(1_300_000)}"`,
  ]) {
    let turns = 0
    let isRead = false
    const count = (): void => {
      turns++
      if (!isRead) setImmediate(count)
    }
    setImmediate(count)
    await readJson(Buffer.from(text), boundsOf(32 * maxSyncBytes))
    isRead = true
    expect(turns, text.slice(0, 20)).toBeGreaterThan(1)
  }
})
