import { expect, test } from 'vitest'
import fc from '../../../tests/harness/fast-check.ts'
import { canonicalNumber, exactNumberOf } from './exact-number.ts'
import {
  boundsOf,
  exactly,
  exactText,
  maxSyncBytes,
  readExactly,
  readJson,
  readJsonSync,
  writtenOutBytes,
} from './json.ts'
import { maxExactNumbers } from './json-reader.ts'

const exact = { exact: true }

test.each([
  ['0', '-0', '-0.0e0', '0e400', '1.0', '1E5', '1e+2', '0.1', '-12.50', '9007199254740992', '1e308'],
  [
    '0.30000000000000004',
    '-0.0003476873913314194',
    '123456789012345680000',
    '1.7976931348623157e308',
    '5e-324',
  ],
])('what a double has stays a double, however it is spelled', (...texts) => {
  for (const text of texts) expect(exactNumberOf(text), text).toBeUndefined()
})

test('what no double has is written as it came, and computes as the nearest double', () => {
  for (const text of [
    '9007199254740993',
    '-2512292042121000001',
    '12345678901234567890.123',
    '0.1000000000000000055511151231257827',
    '1e400',
    '-1E+309',
    '1e-400',
    '1e99999999999999999999',
  ]) {
    const number = exactNumberOf(text)!
    expect(JSON.stringify([number]), text).toBe(`[${text}]`)
    expect(Number(number)).toBe(Number(text))
    expect(String(number)).toBe(text)
  }
})

test('equal numbers have one canonical spelling, and others have others', () => {
  expect(canonicalNumber('12345678901234567890')).toBe(canonicalNumber('1234567890123456789.0e1'))
  expect(canonicalNumber('-0.00120')).toBe(canonicalNumber('-12e-4'))
  expect(canonicalNumber('1e400')).not.toBe(canonicalNumber('1e401'))
  expect(canonicalNumber('-1e400')).not.toBe(canonicalNumber('1e400'))
})

/** JSON texts in which numbers have up to thirty digits and exponents, spelled as `JSON.stringify` spells what a double has. */
const numberText = fc
  .tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.constantFrom('', '.5', 'e7', 'e-400', 'e400'))
  .map(([whole, rest]) => `${whole}${rest}`)
  .map((text) => (exactNumberOf(text) ? text : JSON.stringify(Number(text))))
const { json: jsonText } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    numberText,
    fc.string().map((text) => JSON.stringify(text)),
    fc.array(tie('json'), { maxLength: 4 }).map((members) => `[${members.join(',')}]`),
    fc
      .dictionary(fc.string({ maxLength: 3 }), tie('json'), { maxKeys: 4 })
      .map((members) => Object.entries(members))
      .map((entries) => `{${entries.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`),
  ),
}))

test('a value is read as JSON.parse reads it, and written with every digit', async () => {
  await fc.assert(
    fc.asyncProperty(jsonText, async (member) => {
      const text = `[${member}]`
      const value = readJsonSync(text, exact) as object
      expect(value).toEqual(JSON.parse(text))
      expect(exactText(value)).toBe(text)
      expect(JSON.stringify(readExactly(member))).toBe(member)
      const sliced = await readJson(Buffer.from(text), { ...boundsOf(1), ...exact })
      expect(exactText(sliced as object)).toBe(text)
    }),
    { numRuns: 300 },
  )
})

test('a list or an object without such a number is not copied, and without `exact` none is', () => {
  const [big, small] = readJsonSync('[{"a":9007199254740993},{"a":9007199254740992}]', exact) as object[]
  expect(exactly(small)).toBe(small)
  expect(exactly(big)).not.toBe(big)
  const rounded = readJsonSync('[9007199254740993]')
  expect(exactly(rounded)).toBe(rounded)
  expect(exactText(readJsonSync('{"__proto__":1e400,"a":{"__proto__":{"b":1e400}}}', exact) as object)).toBe(
    '{"__proto__":1e400,"a":{"__proto__":{"b":1e400}}}',
  )
})

test('a text has at most thirty thousand such numbers, and one of ten thousand digits is the longest', async () => {
  const bounds = { ...boundsOf(32 * maxSyncBytes), ...exact }
  const trouble = { trouble: { kind: 'tooManyLongNumbers', max: maxExactNumbers } }
  for (const number of ['9007199254740993', '[9007199254740993]', '1e999']) {
    const numbers = (count: number) => `[${`${number},`.repeat(count)}0.30000000000000004]`
    const most = numbers(maxExactNumbers)
    const value = await readJson(Buffer.from(most), bounds)
    expect(exactText(value as object) === most, number).toBe(true)
    const more = numbers(maxExactNumbers + 1)
    await expect(readJson(Buffer.from(more), bounds), number).rejects.toMatchObject(trouble)
    expect(() => readJsonSync(more, exact), number).toThrow('tooManyLongNumbers')
  }
  const long = (digits: number) =>
    readJson(Buffer.from(`{"a":${'7'.repeat(digits)}}`), { ...boundsOf(maxSyncBytes), ...exact })
  expect(exactText((await long(10_000)) as object)).toHaveLength(10_006)
  expect(readJsonSync(`[${'0,'.repeat(100_000)}0.30000000000000004]`, exact)).toHaveLength(100_001)
  await expect(long(10_001)).rejects.toMatchObject({ trouble: { kind: 'longNumber', max: 10_000 } })
})

test('a value has as many bytes as PostgreSQL writes: numbers that no double has stand there without an exponent', () => {
  const bytes = (text: string) => writtenOutBytes(readExactly(text))
  expect(bytes('{"a":9007199254740993,"b":"1e999"}')).toBe('{"a":9007199254740993,"b":"1e999"}'.length)
  expect(bytes('[1e999]')).toBe(1_002)
  expect(bytes('{"a":[-1.5e-999]}')).toBe('{"a":[-0.]}'.length + 1_000)
  expect(bytes('[1e99999999999999999999]')).toBeGreaterThan(1e19)
})
