import { describe, expect, test } from 'vitest'
import { base32, codeAt, matchingStep, otpauthUri, readCode, stepAt } from './totp.ts'

/** The secret of the vectors of RFC 4226 and RFC 6238. */
const secret = Buffer.from('12345678901234567890')

describe('codes of authenticator apps', () => {
  test('are those of the vectors of RFC 6238, whose last six digits these are', () => {
    const vectors: [number, string][] = [
      [59, '94287082'],
      [1_111_111_109, '07081804'],
      [1_111_111_111, '14050471'],
      [1_234_567_890, '89005924'],
      [2_000_000_000, '69279037'],
      [20_000_000_000, '65353130'],
    ]
    for (const [seconds, code] of vectors)
      expect(codeAt(secret, stepAt(seconds * 1_000)), `at ${seconds} s`).toBe(code.slice(2))
  })

  test('are those of the vectors of RFC 4226', () => {
    const codes = ['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871']
    expect(codes.map((_, step) => codeAt(secret, step))).toEqual(codes)
  })

  test('are valid for one step before and after, and no further', () => {
    const nowMs = 1_700_000_010_000
    const given = (away: number) =>
      matchingStep(secret, codeAt(secret, stepAt(nowMs) + away), { nowMs, lastStep: null })
    expect([-2, -1, 0, 1, 2].map(given)).toEqual([
      undefined,
      stepAt(nowMs) - 1,
      stepAt(nowMs),
      stepAt(nowMs) + 1,
      undefined,
    ])
  })

  test('of a step that was used, and of those before it, are not valid', () => {
    const nowMs = 1_700_000_010_000
    const step = stepAt(nowMs)
    const after = (lastStep: number) => matchingStep(secret, codeAt(secret, step), { nowMs, lastStep })
    expect([step - 1, step, step + 1].map(after)).toEqual([step, undefined, undefined])
  })

  test('are read with spaces, hyphens and Persian or Arabic digits, and nothing else is a code', () => {
    for (const text of ['755224', ' 755 224 ', '۷۵۵۲۲۴', '۷۵۵ ۲۲۴', '٧٥٥-٢٢٤', '\u2066755224\u2069'])
      expect(readCode(text), text).toBe('755224')
    for (const text of ['', '75522', '7552245', '75522a', '755224\u00007', '+75522'])
      expect(readCode(text), text).toBeUndefined()
  })
})

describe('the secret', () => {
  test('is written in base32 as the vectors of RFC 4648 are, without padding', () => {
    const vectors = {
      f: 'MY',
      fo: 'MZXQ',
      foo: 'MZXW6',
      foob: 'MZXW6YQ',
      fooba: 'MZXW6YTB',
      foobar: 'MZXW6YTBOI',
    }
    for (const [text, written] of Object.entries({ '': '', ...vectors }))
      expect(base32(Buffer.from(text)), text).toBe(written)
  })

  test('stands in an address whose label survives colons, spaces and Persian', () => {
    const uri = otpauthUri(secret, { issuer: 'خرد: آزمون', account: 'a+b@example.org' })
    const { protocol, host, pathname, searchParams } = new URL(uri)
    expect([protocol, host]).toEqual(['otpauth:', 'totp'])
    expect(pathname.slice(1).split(':').map(decodeURIComponent)).toEqual(['خرد: آزمون', 'a+b@example.org'])
    expect(Object.fromEntries(searchParams)).toEqual({
      secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
      issuer: 'خرد: آزمون',
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    })
  })
})
