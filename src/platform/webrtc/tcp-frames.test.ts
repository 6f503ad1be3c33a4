import { expect, test } from 'vitest'
import fc from '../../../tests/harness/fast-check.ts'
import { FrameReader, frame, maxDatagramLength } from './tcp-frames.ts'

test('datagrams leave whole and in order, however their bytes come', () => {
  const datagrams = fc.array(fc.uint8Array({ minLength: 1, maxLength: maxDatagramLength }), { maxLength: 8 })
  fc.assert(
    fc.property(datagrams, fc.array(fc.integer({ min: 1, max: 2_000 })), (sent, cuts) => {
      const reader = new FrameReader()
      let rest = Buffer.concat(sent.map((bytes) => frame(Buffer.from(bytes))))
      const received: Buffer[] = []
      for (const cut of [...cuts, rest.length]) {
        reader.push(rest.subarray(0, cut))
        for (let next = reader.shift(); next !== undefined; next = reader.shift())
          received.push(next as Buffer)
        rest = rest.subarray(cut)
      }
      expect(received).toEqual(sent.map((bytes) => Buffer.from(bytes)))
    }),
  )
})

test('a datagram may have 1,500 bytes and no more', () => {
  const read = (length: number): unknown => {
    const reader = new FrameReader()
    reader.push(Buffer.from([length >> 8, length & 255]))
    return reader.shift()
  }
  expect([read(1_500), read(1_501)]).toEqual([undefined, 'malformed'])
})
