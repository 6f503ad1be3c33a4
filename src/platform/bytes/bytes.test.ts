import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import fc from '../../../tests/harness/fast-check.ts'
import {
  decodeBase64,
  decodeBase64InSlices,
  freeBytes,
  GrowingBytes,
  sha256InSlices,
  shortLivedBuffer,
} from './bytes.ts'

test('megabytes of Base64 are decoded to the byte, and what is not Base64 is nothing', async () => {
  for (const length of [0, 1, 2, 3, 786_431, 786_432, 786_433, 3_000_001]) {
    const bytes = Buffer.alloc(length, 'any text at all')
    const decoded = await decodeBase64InSlices(bytes.toString('base64'))
    expect(bytes.equals(decoded!), String(length)).toBe(true)
    expect(await sha256InSlices(bytes)).toBe(createHash('sha256').update(bytes).digest('hex'))
  }
  const long = 'QUJD'.repeat(300_000)
  for (const wrong of [
    'QUI',
    'QU=I',
    'QUI=QUJD',
    '=',
    '====',
    'QUJ\n',
    `QUI=${long}`,
    `${long}Q-==`,
    `${long}س`,
  ])
    expect(await decodeBase64InSlices(wrong), wrong.slice(0, 10)).toBeUndefined()
})

test('freed bytes are empty, and small ones are left to the collector, with whatever shares their memory', () => {
  const bytes = Buffer.allocUnsafeSlow(100_000)
  freeBytes(bytes)
  expect(bytes.length).toBe(0)
  const beside = Buffer.from('beside')
  freeBytes(shortLivedBuffer(1_000))
  freeBytes(Buffer.from('small'))
  expect(beside.toString()).toBe('beside')
})

test.each([1, 3, 1_023, 1_024, 60_000, 200_000])('chunks of %d bytes are collected to the byte', (size) => {
  const bytes = new GrowingBytes()
  const whole = Buffer.from(Array.from({ length: size * 3 }, (_, at) => (at * 7) % 251))
  for (let at = 0; at < whole.length; at += size) bytes.add(whole.subarray(at, at + size))
  expect(bytes.take().equals(whole)).toBe(true)
  expect(bytes.length).toBe(0)
})

describe('decodeBase64', () => {
  test('decodes what any encoder of RFC 4648 wrote', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (data) => {
        expect(decodeBase64(Buffer.from(data).toString('base64'))).toEqual(Uint8Array.from(data))
      }),
    )
  })

  test('refuses missing and stray padding, white space, and the URL alphabet', () => {
    for (const text of ['YQ', 'YQ=', 'Y===', '====', '=', 'YQ==YQ==', 'YW Jj', 'YWJj\n', 'ab-_', 'سلام'])
      expect(decodeBase64(text)).toBeUndefined()
  })

  test('takes and refuses exactly what the pattern of the alphabet does', () => {
    const pattern = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
    const character = fc.constantFrom(...'AbYz09+/=-_ \n\u0141\u0142é\0گ\ud83d')
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 12 }), (text) => {
        const expected = pattern.test(text) ? Uint8Array.from(Buffer.from(text, 'base64')) : undefined
        expect(decodeBase64(text)).toEqual(expected)
      }),
      { numRuns: 20_000 },
    )
  })
})
