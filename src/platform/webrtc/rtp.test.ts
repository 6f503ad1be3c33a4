import { expect, test } from 'vitest'
import fc from '../../../tests/harness/fast-check.ts'
import { extendSequence, ReplayWindow, readRtp, unpadded, writeRtp } from './rtp.ts'

test('a header is read as it was written', () => {
  const fields = { payloadType: 111, sequence: 65_535, timestamp: 4_294_967_295, ssrc: 7 }
  expect(readRtp(writeRtp(fields))).toEqual({ ...fields, payloadAt: 12, isPadded: false })
})

test('the payload begins behind sources and extension, which must be whole', () => {
  const header = writeRtp({ payloadType: 111, sequence: 1, timestamp: 1, ssrc: 7 })
  header[0] = 0x92
  const more = Buffer.from('0000000a0000000bbede000100000000', 'hex')
  const whole = Buffer.concat([header, more])
  expect(readRtp(whole)).toMatchObject({ payloadAt: 28 })
  for (let length = 0; length < whole.length; length++)
    expect(readRtp(whole.subarray(0, length)), String(length)).toBeUndefined()
})

test('any bytes are read within their bounds or refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      expect(readRtp(Buffer.from(bytes))?.payloadAt ?? 0).toBeLessThanOrEqual(bytes.length)
    }),
  )
})

test('padding that is longer than the payload is none', () => {
  expect(unpadded(Buffer.from([1, 2, 2]))).toEqual(Buffer.from([1]))
  expect(unpadded(Buffer.from([3, 3, 3]))).toEqual(Buffer.alloc(0))
  expect(unpadded(Buffer.from([4, 4, 4]))).toBeUndefined()
  expect(unpadded(Buffer.from([1, 0]))).toBeUndefined()
  expect(unpadded(Buffer.alloc(0))).toBeUndefined()
})

test('a sequence number is extended to the one that is nearest', () => {
  const near = fc.integer({ min: -32_767, max: 32_767 })
  fc.assert(
    fc.property(fc.integer({ min: 65_536, max: 2 ** 40 }), near, (highest, distance) => {
      expect(extendSequence((highest + distance) % 65_536, highest)).toBe(highest + distance)
    }),
  )
})

test('before the first wrap nothing is older than the beginning', () => {
  expect(extendSequence(5, undefined)).toBe(5)
  expect(extendSequence(0, 65_535)).toBe(65_536)
  expect(extendSequence(65_535, 2)).toBe(65_535)
})

test('each index is new once, and none that is older than 511 is', () => {
  const window = new ReplayWindow()
  for (const index of [0, 3, 1_000, 489]) {
    expect(window.isNew(index), String(index)).toBe(true)
    window.mark(index)
    expect(window.isNew(index), String(index)).toBe(false)
  }
  expect(window.isNew(488)).toBe(false)
  expect(window.isNew(999)).toBe(true)
})
