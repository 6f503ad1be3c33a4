import type { Noise } from './phonemes.ts'
import type { Phrase } from './pronounce.ts'
import { frameMs, pitchAt, type Segment, segmentsOf } from './prosody.ts'
import type { Voice } from './voices.ts'

/** What the synthesiser does for one frame of 2 ms: frequencies in Hz, levels as factors from 0 to 1. */
export interface Frame {
  readonly pitchHz: number
  readonly formants: readonly number[]
  readonly bandwidths: readonly number[]
  /** Zero of the nose, in Hz; at `nasalPoleHz` it cancels the pole. */
  readonly nasalZeroHz: number
  readonly voiced: number
  readonly aspirated: number
  readonly noisy: number
  readonly noise: readonly Noise[]
}

export const nasalPoleHz = 270
const nasalZeroHz = 480
const transitionMs = { vowel: 48, consonant: 26 }

/** The frames of a phrase: each phoneme moves from its border with the one before to its own target and on to its next border. */
export function* framesOf(phrase: Phrase, voice: Voice): Generator<Frame> {
  const segments = segmentsOf(phrase, voice)
  const totalMs = segments.reduce((sum, { ms }) => sum + ms, 0)
  let passedMs = 0
  for (const [at, segment] of segments.entries()) {
    const from = border(segments[at - 1] ?? segment, segment)
    const to = border(segment, segments[at + 1] ?? segment)
    const next = segments[at + 1]
    for (let ms = 0; ms < segment.ms; ms += frameMs) {
      const share = ms / segment.ms
      const pitch = pitchAt(segment, phrase.end, { segment: share, phrase: (passedMs + ms) / totalMs })
      yield {
        pitchHz: pitch * voice.pitchHz,
        formants: track(segment, from, to, ms).map((hz) => hz * voice.formantScale),
        bandwidths: segment.phoneme.bandwidths,
        nasalZeroHz: segment.phoneme.kind === 'nasal' ? nasalZeroHz : nasalPoleHz,
        noise: segment.phoneme.noise ?? [],
        ...levels(segment, ms, next),
      }
    }
    passedMs += segment.ms
  }
}

function border(left: Segment, right: Segment): number[] {
  const { formants, strength } = left.phoneme
  const sum = strength + right.phoneme.strength || 1
  const share = strength / sum
  return right.phoneme.formants.map((hz, at) => hz + (formants[at]! - hz) * share)
}

function track(segment: Segment, from: number[], to: number[], ms: number): number[] {
  const kind = segment.phoneme.kind === 'vowel' ? 'vowel' : 'consonant'
  const length = Math.min(transitionMs[kind], segment.ms * 0.48)
  const ease = (share: number): number => (share >= 1 ? 1 : (1 - Math.cos(Math.PI * share)) / 2)
  const in_ = ease(ms / length)
  const out = ease((segment.ms - ms) / length)
  return segment.phoneme.formants.map((hz, at) => {
    return hz + (from[at]! - hz) * (1 - in_) + (to[at]! - hz) * (1 - out)
  })
}

const factor = (db: number): number => 10 ** (db / 20)
const silent = { voiced: 0, aspirated: 0, noisy: 0 }
const aspirationDb = -24
/** The level of an h that closes the last syllable, which is hardly heard. */
const finalBreathDb = -38

type Levels = Pick<Frame, 'voiced' | 'aspirated' | 'noisy'>

function levels(segment: Segment, ms: number, next: Segment | undefined): Levels {
  const { phoneme, ms: length } = segment
  const share = ms / length
  const voiced = phoneme.voicedDb === undefined ? 0 : factor(phoneme.voicedDb)
  if (phoneme.kind === 'stop') return stopLevels(segment, ms, next)
  if (phoneme.kind === 'affricate') {
    const isClosed = share < 0.42
    return { voiced, aspirated: 0, noisy: isClosed ? 0 : 1.3 - share }
  }
  if (phoneme.kind === 'fricative') return { voiced, aspirated: 0, noisy: Math.sin(Math.PI * share) ** 0.5 }
  if (segment.symbol === 'h')
    return { ...silent, aspirated: factor(segment.isLast ? finalBreathDb : aspirationDb) }
  if (segment.symbol === 'r' || segment.symbol === "'")
    return { ...silent, voiced: Math.abs(share - 0.5) < 0.25 ? voiced * 0.35 : 0.7 }
  if (phoneme.kind === 'vowel') return { ...silent, voiced: voiced * fade(segment, share) }
  return { ...silent, voiced }
}

/** The level factor of a vowel: the last one before a pause dies away. */
const fade = (segment: Segment, share: number): number =>
  segment.isLast && share > 0.6 ? 1 - (share - 0.6) * 1.2 : 1

/** The levels of a stop: a closure, a burst, and the breath or the voice that follows it; the first of two equal stops is not opened. */
function stopLevels({ phoneme, symbol, ms: length }: Segment, ms: number, next: Segment | undefined): Levels {
  const isVoiced = phoneme.voicedDb !== undefined
  const voiceBar = isVoiced ? factor(phoneme.voicedDb!) : 0
  const burstMs = symbol === 'q' ? 20 : isVoiced ? 8 : 12
  const releaseMs = isVoiced ? burstMs + 4 : burstMs + 26
  const openMs = ms - (length - releaseMs)
  if (next?.symbol === symbol || openMs < 0) return { ...silent, voiced: voiceBar }
  if (openMs < burstMs) return { voiced: voiceBar, aspirated: 0, noisy: isVoiced ? 0.35 : 1 }
  return isVoiced
    ? { ...silent, voiced: 0.4 }
    : { ...silent, aspirated: factor(aspirationDb - 3), noisy: 0.5 }
}
