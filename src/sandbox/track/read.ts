/** Finds the track of words in a sound, however it was compressed, cut, made louder or joined with other sounds. */
import { resample, type SoundStream } from '#core/sound'
import { Slice } from '#platform/slices'
import { blockOf, maxSymbols, type TrackBlock } from './block.ts'
import {
  bitsOfSymbol,
  groups,
  lowestHz,
  middleHz,
  paces,
  preambleLength,
  preambles,
  spacingHz,
  symbolMs,
  type TonePace,
  tones,
  tonesOfGroup,
} from './tones.ts'

export interface FoundBlock extends TrackBlock {
  startMs: number
}

const soundHz = 16_000
/** The sample rate of the band around `middleHz` alone, in complex numbers: 200 of them for a tenth of a second of sound. */
const bandHz = 2_000
const ratio = soundHz / bandHz
const symbolLength = (bandHz * symbolMs) / 1_000
/** The distance of the places at which symbols are looked for, in samples of the band: 2.5 ms. */
const hop = 5
/** The least share of energy in the tones of a preamble: in a sound without a track it is about a quarter, in one with a track nearly all. */
const leastScore = 0.5
/** The most preambles that one block can seem to have in it. */
const maxChances = 4

/** The blocks of a sound in order. Throws what the sound throws. */
export async function readTrack(sound: SoundStream): Promise<FoundBlock[]> {
  const band = await bandOf(sound)
  const starts = await startsIn(band)
  const slice = new Slice()
  const found: FoundBlock[] = []
  let until = 0
  for (const [index, start] of starts.entries()) {
    if (start.at < until) continue
    // A part of a block may look like a preamble by chance: then the block goes on behind it.
    let block: ReturnType<typeof blockOf>
    for (let after = 1; !block && after <= maxChances; after++) {
      const next = starts[index + after]?.at
      block = blockOf(hintsOf(band, start, next))
      if (slice.isOver()) await slice.next()
      if (next === undefined) break
    }
    if (!block) continue
    const { symbols, ...said } = block
    found.push({ ...said, startMs: (1_000 * start.at) / bandHz })
    until = start.at + (preambleLength + symbols - 1) * symbolLength * start.pace
  }
  return found
}

interface ComplexBand {
  re: Float32Array
  im: Float32Array
  length: number
}

const taps = 96
/** A low-pass of half the band's width (a sinc in Blackman's window), moved up to the middle of the band. */
const filter = Array.from({ length: taps }, (_, tap) => {
  const at = tap - (taps - 1) / 2
  const cutoff = 0.9 / ratio
  const sinc = Math.sin(Math.PI * cutoff * at) / (Math.PI * at)
  const turn = (2 * Math.PI * (tap + 0.5)) / taps
  const window = 0.42 - 0.5 * Math.cos(turn) + 0.08 * Math.cos(2 * turn)
  const phase = (-2 * Math.PI * middleHz * at) / soundHz
  return { re: sinc * window * Math.cos(phase), im: sinc * window * Math.sin(phase) }
})
const filterRe = Float64Array.from(filter, ({ re }) => re)
const filterIm = Float64Array.from(filter, ({ im }) => im)

/** The band, moved down to 0 Hz. The filter alone does this, since `middleHz` makes whole turns from one sample of the band to the next. */
async function bandOf(sound: SoundStream): Promise<ComplexBand> {
  const slice = new Slice()
  const band: ComplexBand = { re: new Float32Array(1 << 14), im: new Float32Array(1 << 14), length: 0 }
  let held = new Float32Array(taps / 2)
  const take = (samples: Float32Array): void => {
    const input = new Float32Array(held.length + samples.length)
    input.set(held)
    input.set(samples, held.length)
    let at = 0
    for (; at + taps <= input.length; at += ratio) addTo(band, input, at)
    held = input.slice(at)
  }
  for await (const { samples } of resample(sound, soundHz)) {
    for (let at = 0; at < samples.length; at += soundHz) {
      take(samples.subarray(at, at + soundHz))
      if (slice.isOver()) await slice.next()
    }
  }
  take(new Float32Array(taps))
  return band
}

function addTo(band: ComplexBand, input: Float32Array, at: number): void {
  if (band.length === band.re.length) {
    for (const part of ['re', 'im'] as const) {
      const grown = new Float32Array(2 * band.length)
      grown.set(band[part])
      band[part] = grown
    }
  }
  let re = 0
  let im = 0
  for (let tap = 0; tap < taps; tap++) {
    const sample = input[at + tap]!
    re += sample * filterRe[tap]!
    im += sample * filterIm[tap]!
  }
  band.re[band.length] = re
  band.im[band.length] = im
  band.length += 1
}

/** How each tone turns from one sample of the band to the next. */
const turns = Float64Array.from(
  { length: tones },
  (_, tone) => (2 * Math.PI * (lowestHz + tone * spacingHz - middleHz)) / bandHz,
)
const turnRe = turns.map(Math.cos)
const turnIm = turns.map(Math.sin)

interface PreambleStart {
  /** The place of the preamble, in samples of the band. */
  at: number
  pace: TonePace
}

/** The places where preambles begin. */
async function startsIn(band: ComplexBand): Promise<PreambleStart[]> {
  const places = Math.floor((band.length - symbolLength) / hop)
  if (places <= 0) return []
  const all = paces.map((pace) => ({ pace, scores: preambles[pace].map(() => new Float32Array(places)) }))
  const slice = new Slice()
  const re = new Float64Array(tones)
  const im = new Float64Array(tones)
  const shares = new Float64Array(tones)
  for (let at = 0; at < symbolLength + (places - 1) * hop; at++) {
    slideTransform(band, at, re, im)
    const place = (at + 1 - symbolLength) / hop
    if (place < 0 || !Number.isInteger(place)) continue
    writeEnergyShares(re, im, shares)
    for (const { pace, scores } of all)
      for (const [symbol, digits] of preambles[pace].entries())
        scores[symbol]![place] = preambleScore(shares, digits)
    if (slice.isOver()) await slice.next()
  }
  return peaksOf(all, places)
}

/** Moves the transform of the last `symbolLength` samples by one sample: all tones turn, the newest sample comes, the oldest goes. */
function slideTransform(band: ComplexBand, at: number, re: Float64Array, im: Float64Array): void {
  const old = at - symbolLength
  const addedRe = band.re[at]! - (old >= 0 ? band.re[old]! : 0)
  const addedIm = band.im[at]! - (old >= 0 ? band.im[old]! : 0)
  for (let tone = 0; tone < tones; tone++) {
    const [cos, sin] = [turnRe[tone]!, turnIm[tone]!]
    const [oldRe, oldIm] = [re[tone]!, im[tone]!]
    re[tone] = oldRe * cos - oldIm * sin + addedRe
    im[tone] = oldIm * cos + oldRe * sin + addedIm
  }
}

/** The energy below which nothing counts as a tone. */
const leastEnergy = 1e-9

/** Writes the share that each tone has of its group's energy. */
function writeEnergyShares(re: Float64Array, im: Float64Array, shares: Float64Array): void {
  for (let first = 0; first < tones; first += tonesOfGroup) {
    let whole = leastEnergy
    for (let tone = first; tone < first + tonesOfGroup; tone++) {
      shares[tone] = re[tone]! ** 2 + im[tone]! ** 2
      whole += shares[tone]!
    }
    for (let tone = first; tone < first + tonesOfGroup; tone++) shares[tone]! /= whole
  }
}

/** How much of each group's energy lies in the tone of its digit, as the mean of all groups. */
function preambleScore(shares: Float64Array, digits: readonly number[]): number {
  let sum = 0
  for (let group = 0; group < groups; group++) sum += shares[group * tonesOfGroup + digits[group]!]!
  return sum / groups
}

interface Scores {
  pace: TonePace
  /** The score of each symbol of the preamble at every place where it may begin. */
  scores: readonly Float32Array[]
}

/** The best places, one within the time of a preamble: beside the right place a part of the symbols fits too. */
function peaksOf(all: readonly Scores[], places: number): PreambleStart[] {
  const peaks: (PreambleStart & { score: number })[] = []
  for (let place = 0; place < places; place++)
    for (const { pace, scores } of all) {
      const own = scoreAt(scores, pace, place)
      if (own < leastScore) continue
      const at = place * hop
      const last = peaks.at(-1)
      if (last && at - last.at < preambleLength * symbolLength * Math.max(pace, last.pace)) {
        if (own <= last.score) continue
        peaks.pop()
      }
      peaks.push({ at, pace, score: own })
    }
  return peaks
}

/** The mean score of the preamble at a place; each of its symbols sounds `pace` times. */
function scoreAt(scores: readonly Float32Array[], pace: TonePace, place: number): number {
  const apart = symbolLength / hop
  let sum = 0
  for (const [symbol, one] of scores.entries())
    for (let turn = 0; turn < pace; turn++) sum += one[place + (symbol * pace + turn) * apart] ?? 0
  return sum / (scores.length * pace)
}

/** The hints of the symbols behind a preamble, up to the next one: what each bit seems to be. */
function hintsOf(band: ComplexBand, start: PreambleStart, next: number | undefined): Float32Array[] {
  const hints: Float32Array[] = []
  const energies = new Float64Array(tones)
  const length = symbolLength * start.pace
  const end = Math.min(band.length, next ?? band.length) + symbolLength / 4
  for (let symbol = 0; symbol < maxSymbols; symbol++) {
    const from = start.at + (preambleLength + symbol) * length
    if (from + length > end) break
    transform(band, { from, to: from + length }, energies)
    hints.push(Float32Array.from({ length: bitsOfSymbol }, (_, bit) => hintOf(energies, bit)))
  }
  return hints
}

function transform(
  band: ComplexBand,
  { from, to }: { from: number; to: number },
  energies: Float64Array,
): void {
  for (let tone = 0; tone < tones; tone++) {
    let [re, im, cos, sin] = [0, 0, 1, 0]
    for (let at = from; at < to; at++) {
      const [x, y] = [band.re[at] ?? 0, band.im[at] ?? 0]
      re += x * cos + y * sin
      im += y * cos - x * sin
      const turned = cos * turnRe[tone]! - sin * turnIm[tone]!
      sin = sin * turnRe[tone]! + cos * turnIm[tone]!
      cos = turned
    }
    energies[tone] = re * re + im * im
  }
}

/** The hint of a bit. Bits stand in groups of tones by two, the higher first. */
function hintOf(energies: Float64Array, bit: number): number {
  const first = Math.floor(bit / 2) * tonesOfGroup
  const weight = bit % 2 === 0 ? 2 : 1
  let [zero, one, whole] = [0, 0, leastEnergy]
  for (let digit = 0; digit < tonesOfGroup; digit++) {
    const energy = energies[first + digit]!
    whole += energy
    if (digit & weight) one = Math.max(one, energy)
    else zero = Math.max(zero, energy)
  }
  return (one - zero) / whole
}
