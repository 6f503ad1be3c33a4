import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { readMp3Frame } from '#core/magic'
import { encodeWhole } from './encode.ts'
import { Mpg123 } from './mpg123.ts'

async function framesOf(samples: Float32Array): Promise<Uint8Array[]> {
  const { bytes } = await encodeWhole([{ rate: 24_000, samples }], { format: 'mp3', maxBytes: 1 << 20 })
  const frames: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += frames.at(-1)!.length)
    frames.push(bytes.subarray(at, at + readMp3Frame(bytes, at)!.length))
  return frames
}

function decoded(decoder: Mpg123, frames: readonly Uint8Array[]): Float32Array {
  const samples = new Float32Array(576 * frames.length)
  for (const [index, frame] of frames.entries())
    decoder.decode(frame, samples.subarray(576 * index, 576 * (index + 1)), true)
  return samples
}

test('a decoder that read something else before, also what is broken, decodes as a new one does', async () => {
  const sound = Float32Array.from({ length: 24_000 }, (_, at) => 0.4 * Math.sin(at / 7))
  const frames = await framesOf(sound)
  const used = await Mpg123.open()
  // Frames with correct heads and broken sound.
  const broken = frames.map((frame, index) =>
    frame.map((byte, at) => (at < 4 ? byte : (byte * 31 + at * index) & 255)),
  )
  decoded(used, [...frames, ...broken])
  await used.free()
  for (let turns = 0; turns < 20; turns++) await turn()
  const again = await Mpg123.open()
  expect(again).toBe(used)
  const fresh = await Mpg123.open()
  expect(fresh).not.toBe(used)
  const samples = decoded(fresh, frames)
  expect(samples.some((sample) => Math.abs(sample) > 0.3)).toBe(true)
  expect(decoded(again, frames)).toEqual(samples)
})

test('what cannot be decoded is silence, and nobody is told on the console', async () => {
  const frames = await framesOf(new Float32Array(24_000).fill(0.1))
  const decoder = await Mpg123.open()
  const place = new Float32Array(576).fill(1)
  decoder.decode(
    frames[5]!.map((byte, at) => (at < 4 ? byte : 255)),
    place,
    true,
  )
  expect(place.every((sample) => Math.abs(sample) < 1e-6)).toBe(true)
  await decoder.free()
})
