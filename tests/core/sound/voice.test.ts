/** Where somebody speaks, and where nobody does. */
import { describe, expect, test } from 'vitest'
import { decodeSound, type Sound, silencesIn, VoiceDetector } from '#core/sound'
import { ffmpeg, hasVoice } from './ffmpeg.ts'
import { cut, speechLike, whole } from './samples.ts'

const noise = (samples: number, amplitude: number) =>
  Float32Array.from({ length: samples }, (_, at) => amplitude * (((at * 7_919) % 2_003) / 1_001.5 - 1))

async function put(pieces: Float32Array[], rate: number): Promise<Sound> {
  return whole(pieces.map((samples) => ({ rate, samples })))
}

test('the pauses of a sound are found to 20 ms, over silence and over noise', async () => {
  const rate = 24_000
  const loud = speechLike(rate, 8, 0.8).samples
  const tone = loud.map((_, at) => 0.4 * Math.sin(at / 12))
  for (const floor of [0, 0.004]) {
    const sound = await put(
      [
        noise(rate, floor),
        tone.subarray(0, rate),
        noise(rate / 2, floor),
        tone.subarray(0, rate),
        noise(rate / 10, floor),
        tone.subarray(0, rate),
      ],
      rate,
    )
    const spans = await silencesIn([sound])
    const parts = [...cut(sound.samples, [777, 5_001])].map((samples) => ({ rate, samples }))
    expect(await silencesIn(parts)).toEqual(spans)
    const found = spans.map(({ start, end }) => [start / rate, end / rate])
    expect(found.length).toBe(2)
    for (const [index, [start, end]] of [
      [0, 1],
      [2, 2.5],
    ].entries()) {
      expect(Math.abs(found[index]![0]! - start!)).toBeLessThan(0.02)
      expect(Math.abs(found[index]![1]! - end!)).toBeLessThan(0.02)
    }
  }
})

describe.skipIf(!hasVoice)('with a voice of flite, made by ffmpeg', () => {
  test('speech begins and ends where it does, however the sound is cut; noise and silence are none', async () => {
    const file = ffmpeg([
      '-v',
      'error',
      '-f',
      'lavfi',
      '-i',
      "flite=text='The quick brown fox jumps over the lazy dog':voice=slt",
      '-f',
      'wav',
      'pipe:1',
    ]).output
    const { rate, samples } = await whole(decodeSound([file]))
    const sound = await put(
      [noise(2 * rate, 0.001), samples, noise(2 * rate, 0.001), samples, noise(rate, 0.001)],
      rate,
    )
    const spoken = samples.length / rate
    const events = async (size: number) => {
      using detector = await VoiceDetector.open(rate)
      const all = []
      for (let at = 0; at < sound.samples.length; at += size)
        all.push(...detector.write(sound.samples.subarray(at, at + size)))
      return [...all, ...detector.end()]
    }
    const found = await events(480)
    expect(found.map(({ kind }) => kind)).toEqual(['started', 'ended', 'started', 'ended'])
    const expected = [2, 2 + spoken, 4 + spoken, 4 + 2 * spoken]
    for (const [index, { atMs }] of found.entries())
      expect(Math.abs(atMs / 1_000 - expected[index]!)).toBeLessThan(0.35)
    expect(await events(7_001)).toEqual(found)
  })
})

test('noise and silence are no speech', async () => {
  for (const amplitude of [0, 0.01]) {
    using detector = await VoiceDetector.open(16_000)
    expect([...detector.write(noise(80_000, amplitude)), ...detector.end()]).toEqual([])
  }
})
