/** A file of sound for the fake microphone of a browser. */
import type { Sound } from '#engine/sound'

/** WAV of 16-bit samples, one channel. */
export function wav({ rate, samples }: Sound): Buffer {
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + 2 * samples.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(2 * rate, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(2 * samples.length, 40)
  const pcm = Int16Array.from(samples, (sample) => Math.round(sample * 32_767))
  return Buffer.concat([head, Buffer.from(pcm.buffer)])
}
