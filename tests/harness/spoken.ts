/** Persian (or English) sentences spoken by espeak-ng, with pauses of exact lengths and noise of a given level: the same each time. */
import { spawnSync } from 'node:child_process'
import { resample, type Sound } from '#core/sound'
import { Random } from '../simulation/random.ts'

export const hasEspeak = spawnSync('espeak-ng', ['--version']).status === 0
if (!hasEspeak) console.warn('espeak-ng is not installed: what is spoken in Persian is not tested')

export interface SpokenOptions {
  /** Of the samples, in Hz. */
  rate?: number
  voice?: 'fa' | 'en'
  /** Words a minute, by espeak's own measure. */
  speed?: number
  /** How loud speech is, in dB below full scale (RMS of what is spoken). */
  speechDb?: number
  /** White noise under all of it, in dB below full scale (RMS); without it, pauses are exact zeros. */
  noiseDb?: number
  seed?: number
  beforeMs?: number
  afterMs?: number
}

export interface Spoken extends Sound {
  /** Stretches of speech between the marked pauses, with the words of each. */
  stretches: { words: string; fromMs: number; untilMs: number }[]
}

/**
 * Speaks a text in which `[600]` is a pause of 600 ms, from the last sound before it to the first one after it. 300 ms precede it
 * and 2 s follow where nothing else is said.
 */
export async function spoken(text: string, options: SpokenOptions = {}): Promise<Spoken> {
  const { rate = 16_000, beforeMs = 300, afterMs = 2_000, seed = 1, noiseDb } = options
  const samplesOf = (ms: number): number => Math.round((ms * rate) / 1_000)
  const pieces: Float32Array[] = [new Float32Array(samplesOf(beforeMs))]
  const stretches: Spoken['stretches'] = []
  let length = pieces[0]!.length
  const add = (samples: Float32Array): void => {
    pieces.push(samples)
    length += samples.length
  }
  for (const part of partsOf(text)) {
    if (typeof part === 'number') {
      add(new Float32Array(samplesOf(part)))
      continue
    }
    const fromMs = (1_000 * length) / rate
    add(await stretchOf(part, rate, options))
    stretches.push({ words: part, fromMs, untilMs: (1_000 * length) / rate })
  }
  add(new Float32Array(samplesOf(afterMs)))
  const samples = new Float32Array(length)
  let at = 0
  for (const piece of pieces) {
    samples.set(piece, at)
    at += piece.length
  }
  if (noiseDb !== undefined) addNoise(samples, noiseDb, seed)
  return { rate, samples, stretches }
}

/** The words of a text without the marks of its pauses. */
export const wordsOf = (text: string): string =>
  partsOf(text)
    .filter((part) => typeof part === 'string')
    .join(' ')

/** Words, and pauses in ms. */
function partsOf(text: string): (string | number)[] {
  return text
    .split(/\[(\d+)\]/)
    .map((part, index) => (index % 2 === 1 ? Number(part) : part.trim()))
    .filter((part) => part !== '')
}

/** Sound of whole texts; many tests speak the same sentences. */
const known = new Map<string, Float32Array>()

async function stretchOf(words: string, rate: number, options: SpokenOptions): Promise<Float32Array> {
  const { voice = 'fa', speed = 160, speechDb = -23 } = options
  const name = JSON.stringify([words, rate, voice, speed, speechDb])
  let samples = known.get(name)
  if (!samples) {
    samples = atLevel(trimmed(await synthesised(words, rate, voice, speed)), speechDb)
    known.set(name, samples)
  }
  return samples
}

async function synthesised(words: string, rate: number, voice: string, speed: number): Promise<Float32Array> {
  const { stdout, stderr, status } = spawnSync(
    'espeak-ng',
    ['-v', voice, '-s', String(speed), '--stdin', '--stdout'],
    { input: words, maxBuffer: 1 << 26 },
  )
  if (status !== 0) throw new Error(`espeak-ng: ${stderr}`)
  const own = stdout.readUInt32LE(24)
  const head = 44
  const samples = Float32Array.from({ length: (stdout.length - head) >> 1 }, (_, index) => {
    return stdout.readInt16LE(head + 2 * index) / 32_768
  })
  const pieces: number[] = []
  for await (const piece of resample([{ rate: own, samples }], rate))
    for (const sample of piece.samples) pieces.push(sample)
  return Float32Array.from(pieces)
}

/** Below it, in parts of full scale, what espeak-ng puts around the words is silence. */
const faintest = 0.003

function trimmed(samples: Float32Array): Float32Array {
  const isHeard = (sample: number): boolean => Math.abs(sample) > faintest
  const from = samples.findIndex(isHeard)
  if (from < 0) throw new Error('espeak-ng said nothing')
  return samples.slice(from, samples.findLastIndex(isHeard) + 1)
}

function atLevel(samples: Float32Array, db: number): Float32Array {
  const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length
  const gain = 10 ** (db / 20) / Math.sqrt(power)
  return samples.map((sample) => Math.max(-1, Math.min(1, sample * gain)))
}

/** Normally distributed, by the method of Box and Muller. */
function addNoise(samples: Float32Array, db: number, seed: number): void {
  const random = new Random(seed)
  const level = 10 ** (db / 20)
  for (let index = 0; index < samples.length; index++) {
    const size = Math.sqrt(-2 * Math.log(1 - random.next()))
    const noise = level * size * Math.cos(2 * Math.PI * random.next())
    samples[index] = Math.max(-1, Math.min(1, samples[index]! + noise))
  }
}
