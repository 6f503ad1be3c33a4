/** The sound of a video: the first words of its prompt, over two notes that follow from the prompt. */
import { createHash } from 'node:crypto'
import { encodeSound, type Sound } from '#core/sound'
import { sampleRate, speak, spokenMs, voices } from '../speech/speech.ts'
import { type EncodedSound, frameSamples } from './mp4.ts'

const [beforeMs, afterMs] = [300, 300]
const fadeSamples = sampleRate / 20

export async function soundOf(prompt: string, seconds: number): Promise<EncodedSound> {
  const samples = seconds * sampleRate
  const whole = notes(prompt, samples)
  const words = wordsWithin(prompt, 1_000 * seconds - beforeMs - afterMs)
  let at = (beforeMs * sampleRate) / 1_000
  for (const piece of words === '' ? [] : speak(words, voices[0]!))
    for (const value of piece) {
      if (at >= samples) break
      whole[at++]! += value / 40_000
    }
  const frames: Uint8Array[] = []
  for await (const bytes of encodeSound(pieces(whole), { format: 'aac' })) frames.push(...framesIn(bytes))
  return { frames, rate: sampleRate, delay: frameSamples, samples }
}

/** The sound in pieces of one second each: between them the encoder lets the event loop run. */
function* pieces(whole: Float32Array): Generator<Sound> {
  for (let at = 0; at < whole.length; at += sampleRate)
    yield { rate: sampleRate, samples: whole.subarray(at, at + sampleRate) }
}

/** The first words of the prompt, as many as can be spoken in the time. */
function wordsWithin(prompt: string, ms: number): string {
  const words = prompt.split(/\s+/).filter(Boolean).slice(0, 100)
  let [fits, tooMany] = [0, words.length + 1]
  while (tooMany - fits > 1) {
    const middle = (fits + tooMany) >> 1
    if (spokenMs(words.slice(0, middle).join(' '), voices[0]!) <= ms) fits = middle
    else tooMany = middle
  }
  return words.slice(0, fits).join(' ')
}

/** Two soft notes, with a rise and a fall at the ends. */
function notes(prompt: string, samples: number): Float32Array {
  const [chance = 0] = createHash('sha256').update(prompt).digest()
  const low = 196 * 2 ** ((chance % 12) / 12)
  const steps = [low, low * 1.5].map((hz) => (2 * Math.PI * hz) / sampleRate)
  return Float32Array.from({ length: samples }, (_, at) => {
    const edge = Math.min(1, at / fadeSamples, (samples - 1 - at) / fadeSamples)
    return 0.02 * edge * steps.reduce((sum, step) => sum + Math.sin(step * at), 0)
  })
}

/** The frames without their heads of seven bytes, each of which says how long its frame is. */
function* framesIn(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; ) {
    const length = ((bytes[at + 3]! & 3) << 11) | (bytes[at + 4]! << 3) | (bytes[at + 5]! >> 5)
    yield bytes.subarray(at + 7, at + length)
    at += length
  }
}
