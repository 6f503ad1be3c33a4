import { expect, test } from 'vitest'
import fc from '../../../tests/harness/fast-check.ts'
import { FrameReader, frame, longestDatagram } from './tcp-frames.ts'

test('datagrams leave whole and in order, however their bytes come', () => {
  const datagrams = fc.array(fc.uint8Array({ minLength: 1, maxLength: longestDatagram }), { maxLength: 8 })
  fc.assert(
    fc.property(datagrams, fc.array(fc.integer({ min: 1, max: 2_000 })), (sent, cuts) => {
      const reader = new FrameReader()
      let rest = Buffer.concat(sent.map((bytes) => frame(Buffer.from(bytes))))
      const received: Buffer[] = []
      for (const cut of [...cuts, rest.length]) {
        received.push(...reader.push(rest.subarray(0, cut))!)
        rest = rest.subarray(cut)
      }
      expect(received).toEqual(sent.map((bytes) => Buffer.from(bytes)))
    }),
  )
})

test('a datagram may have 1,500 bytes and no more', () => {
  expect(new FrameReader().push(Buffer.from([1_500 >> 8, 1_500 & 255]))).toEqual([])
  expect(new FrameReader().push(Buffer.from([1_501 >> 8, 1_501 & 255]))).toBeUndefined()
})
