import { expect, test } from 'vitest'
import { aLaw, muLaw } from '../hear/g711.ts'
import { PcmVoice } from './pcm-voice.ts'

test('samples of 16 bits are those that were said, clipped at full scale', () => {
  const frame = new Float32Array(480)
  frame.set([0, 0.5, -0.5, 1, -1, 2, -2])
  const bytes = Buffer.from(new PcmVoice('pcm16').encode(frame), 'base64')
  expect(bytes).toHaveLength(960)
  const said = Array.from({ length: 7 }, (_, at) => bytes.readInt16LE(2 * at))
  expect(said).toEqual([0, 16_384, -16_384, 32_767, -32_768, 32_767, -32_768])
})

test.each([
  ['pcmu', muLaw],
  ['pcma', aLaw],
] as const)('by %s a tone is heard as it was said, at 8 kHz, within the step of its law', (format, table) => {
  const voice = new PcmVoice(format)
  const tone = (rate: number) => (_: unknown, at: number) => 0.5 * Math.sin((2 * Math.PI * 440 * at) / rate)
  const frames = Array.from({ length: 50 }, (_, frame) =>
    Float32Array.from({ length: 480 }, (_, at) => tone(24_000)(0, frame * 480 + at)),
  )
  const heard = Buffer.concat(frames.map((frame) => Buffer.from(voice.encode(frame), 'base64')))
  const wanted = Float32Array.from({ length: heard.length }, tone(8_000))
  expect(heard.length).toBeGreaterThan(7_900)
  const errors = Array.from(heard, (byte, at) => Math.abs(table[byte]! - wanted[at]!)).slice(100, -100)
  expect(Math.max(...errors)).toBeLessThan(0.02)
})

test.each([
  ['pcmu', muLaw],
  ['pcma', aLaw],
] as const)('each step of %s is coded as itself', (format, table) => {
  // Three frames have one level, so that the filter has settled.
  for (const level of [-1, -0.4, -0.01, 0.01, 0.4, 1]) {
    const voice = new PcmVoice(format)
    const bytes = Buffer.from(
      [1, 2, 3].map(() => voice.encode(new Float32Array(480).fill(level))).pop()!,
      'base64',
    )
    const nearest = Math.min(...table.map((value) => Math.abs(value - level)))
    expect(Math.abs(table[bytes[80]!]! - level)).toBeLessThanOrEqual(nearest * 2 + 0.001)
  }
})
