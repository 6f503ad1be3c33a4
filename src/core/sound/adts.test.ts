import { expect, test } from 'vitest'
import { adtsFrameAt, adtsHeadOf } from './adts.ts'

/** An AudioSpecificConfig (ISO 14496-3, 1.6.2.1) of 44.1 kHz and one channel; with SBR, the next bits name the AAC below it. */
const configOf = (type: number, below?: number): Uint8Array => {
  const rateIndex = 4
  const first = [(type << 3) | (rateIndex >> 1), ((rateIndex & 1) << 7) | (1 << 3)]
  if (below === undefined) return Uint8Array.from(first)
  return Uint8Array.from([first[0]!, first[1]! | (rateIndex >> 1), ((rateIndex & 1) << 7) | (below << 2), 0])
}

test('the head of a frame is read back as what the file said of its AAC', () => {
  const head = adtsHeadOf(configOf(2))!(100)
  const frame = Uint8Array.from([...head, ...new Uint8Array(100)])
  expect(adtsFrameAt(frame, 0)).toEqual({ bytes: 107, samples: 1_024, rate: 44_100, channels: 1 })
})

test('of AAC with SBR, and with parametric stereo on it, the head is that of the AAC below', () => {
  const plain = adtsHeadOf(configOf(2))!(100)
  for (const type of [5, 29]) expect(adtsHeadOf(configOf(type, 2))?.(100), String(type)).toEqual(plain)
})

test('what ADTS has no room for has no head', () => {
  for (const type of [0, 6, 17, 28, 30]) expect(adtsHeadOf(configOf(type, 2)), String(type)).toBeUndefined()
  expect(adtsHeadOf(configOf(5, 6))).toBeUndefined()
  expect(adtsHeadOf(configOf(2).subarray(0, 1))).toBeUndefined()
})
