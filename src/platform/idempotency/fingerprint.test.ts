import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { exactly, readJsonSync } from '#platform/json'
import fc, { anyCharacter } from '../../../tests/harness/fast-check.ts'
import { fingerprintOf } from './fingerprint.ts'

/** The text from which stored fingerprints were made; new fingerprints must be equal to them. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(',')}}`
}
const stored = (value: unknown) =>
  createHash('sha256')
    .update(`POST\n/v1\n${canonical(value)}`)
    .digest('base64')

test('a fingerprint is that of the whole canonical text, however large and however it is hashed', async () => {
  const values = fc.jsonValue({ maxDepth: 6, stringUnit: anyCharacter })
  await fc.assert(
    fc.asyncProperty(values, async (value) => {
      expect(await fingerprintOf('POST\n/v1\n', value)).toBe(stored(value))
    }),
  )
  for (const value of [
    undefined,
    { b: [], a: {}, c: [{}, [[]]] },
    '😀'.repeat(200_000),
    `x${'😀'.repeat(200_000)}`,
    '\ud83d'.repeat(300_000),
    { text: '"\n'.repeat(300_000), list: Array(50_000).fill({ z: 1, a: 'س' }) },
  ])
    expect(await fingerprintOf('POST\n/v1\n', value)).toBe(stored(value))
})

test('every digit of a number counts, and its spelling does not', async () => {
  const of = (number: string) =>
    fingerprintOf('POST\n/v1\n', exactly(readJsonSync(`{"a":[{"id":${number}}]}`, { exact: true })))
  expect(await of('2512292042121000001')).not.toBe(await of('2512292042121000002'))
  expect(await of('2512292042121000001')).toBe(await of('2512292042121000001.0'))
  expect(await of('1e400')).toBe(await of('10e399'))
  expect(await of('9007199254740992')).toBe(stored({ a: [{ id: 2 ** 53 }] }))
})
