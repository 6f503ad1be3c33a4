import { expect, test } from 'vitest'
import { chunksOf, forwardedStreams, hasWholeParameters, isOfSent } from './sctp-chunks.ts'

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')
const packet = (chunks: string): Buffer => Buffer.concat([Buffer.alloc(12), hex(chunks)])

test('chunks are read with their padding, and none where one is not as long as it says', () => {
  expect(chunksOf(packet('0b000004 0a000006 01020000'))).toEqual([
    { type: 11, body: hex('') },
    { type: 10, body: hex('0102') },
  ])
  for (const length of ['0000', '0001', '0003', '0005', 'ffff'])
    expect(chunksOf(packet(`0b000004 0b00${length}`)), length).toBeUndefined()
})

test('parameters are whole or not, behind the fields of their chunk', () => {
  const fields = '00'.repeat(16)
  for (const [type, before] of [
    [1, fields],
    [4, ''],
    [130, ''],
  ] as const) {
    const has = (parameters: string): boolean =>
      hasWholeParameters({ type, body: hex(`${before}${parameters}`) })
    expect([has(''), has('00010005ff000000'), has('0001000400020006ffff')]).toEqual([true, true, true])
    expect([has('00010000'), has('00010003'), has('00010006ff'), has('0001ffff')]).toEqual(
      Array(4).fill(false),
    )
  }
})

/** An acknowledgement of everything up to this number, and of these pieces behind it. */
function sack(tsn: number, gaps: [first: number, last: number][]): Buffer {
  const body = Buffer.alloc(12 + 4 * gaps.length)
  body.writeUInt32BE(tsn, 0)
  body.writeUInt16BE(gaps.length, 8)
  for (const [at, [first, last]] of gaps.entries()) {
    body.writeUInt16BE(first, 12 + 4 * at)
    body.writeUInt16BE(last, 14 + 4 * at)
  }
  return body
}

test('an acknowledgement may name what was sent and nothing else, each piece once', () => {
  const last = 10
  const next = (last + 1) >>> 0
  expect(isOfSent(sack(last, []), next)).toBe(true)
  expect(
    isOfSent(
      sack(5, [
        [2, 3],
        [5, 5],
      ]),
      next,
    ),
  ).toBe(true)
  expect(isOfSent(sack(2 ** 32 - 1, [[2, 3]]), 4)).toBe(true)
  const refused: [number, number][][] = [
    [[2, 6]],
    [[3, 2]],
    [
      [1, 5],
      [1, 5],
    ],
    [[0, 65_535]],
  ]
  for (const gaps of refused) expect(isOfSent(sack(5, gaps), next), String(gaps)).toBe(false)
  expect(isOfSent(sack(11, []), next)).toBe(false)
  expect(isOfSent(sack(5, [[2, 3]]).subarray(0, 14), next)).toBe(false)
})

test('the streams of a forward are read to the last whole one', () => {
  expect(forwardedStreams(hex('00000001 00010000 003f0005 00'))).toEqual([1, 63])
})
