import { isBackVowel, isVowel, type Phoneme, phonemes } from './phonemes.ts'
import type { Phrase } from './pronounce.ts'
import type { Voice } from './voices.ts'

/** A phoneme in its place, as its neighbours change it, with its length in ms. */
export interface Segment {
  readonly symbol: string
  readonly phoneme: Phoneme
  readonly ms: number
  /** True if it bears the accent of its word, which in Persian stands on the last syllable. */
  readonly isAccented: boolean
  /** True from the last vowel before the pause on. */
  readonly isLast: boolean
}

/** All durations are multiples of this many ms, so that lengths are exact. */
export const frameMs = 2
const finalLengthening = { vowel: 1.4, consonant: 1.2 }
const longWordShortening = 0.92
const shortWordVowels = 3

/** The segments of a phrase with their durations: words run into one another, the last syllable is drawn out. */
export function segmentsOf(phrase: Phrase, voice: Voice): Segment[] {
  const symbols = phrase.words.flatMap((word) => placesOf(word))
  const lastVowel = symbols.findLastIndex(({ symbol }) => isVowel(symbol))
  return symbols.map(({ symbol, isAccented, isLong }, at) => {
    const phoneme = inPlace(symbol, symbols[at - 1]?.symbol, symbols[at + 1]?.symbol)
    const isLast = lastVowel >= 0 && at >= lastVowel
    const kind = isVowel(symbol) ? 'vowel' : 'consonant'
    const isDoubled = symbol === symbols[at + 1]?.symbol
    const factor =
      (isLast ? finalLengthening[kind] : 1) * (isLong ? longWordShortening : 1) * (isDoubled ? 0.6 : 1)
    const ms = frameMs * Math.max(10, Math.round((phoneme.ms * factor * voice.pace) / frameMs))
    return { symbol, phoneme, ms, isAccented, isLast }
  })
}

/** The time of each word of a phrase, in ms from its beginning, in the order of `words`. */
export function wordTimes(phrase: Phrase, voice: Voice): { startMs: number; endMs: number }[] {
  const segments = segmentsOf(phrase, voice)
  let at = 0
  let passed = 0
  return phrase.words.map((word) => {
    const startMs = passed
    const count = placesOf(word).length
    for (const { ms } of segments.slice(at, at + count)) passed += ms
    at += count
    return { startMs, endMs: passed }
  })
}

export function phraseMs(phrase: Phrase, voice: Voice): number {
  return segmentsOf(phrase, voice).reduce((sum, { ms }) => sum + ms, pauseMs(phrase, voice))
}

export const pauseMs = (phrase: Phrase, voice: Voice): number =>
  frameMs * Math.round((phrase.pauseMs * voice.pace) / frameMs)

function placesOf(word: string) {
  const known = [...word].filter((symbol) => phonemes[symbol])
  const accent = known.findLastIndex(isVowel)
  const vowels = known.filter(isVowel).length
  return known.map((symbol, at) => ({
    symbol,
    isAccented: at === accent && known.length > 2,
    isLong: vowels > shortWordVowels,
  }))
}

/**
 * The phoneme as its neighbours change it: k and g are said further back before back vowels; h and the glottal stop have the resonances of the vowel
 * beside them.
 */
function inPlace(symbol: string, before: string | undefined, after: string | undefined): Phoneme {
  const phoneme = phonemes[symbol]!
  const near = isVowel(after) ? after : isVowel(before) ? before : undefined
  if (phoneme.kind === 'glottal') {
    if (near === undefined) return phoneme
    return { ...phoneme, formants: phonemes[near]!.formants, strength: 0.5 }
  }
  if ('kg'.includes(symbol) && isVowel(after) && isBackVowel(after)) {
    const [first, , third] = phoneme.formants
    return { ...phoneme, formants: [first, 1250, third], noise: backBurst }
  }
  return phoneme
}

const backBurst = [
  { hz: 1400, bandwidthHz: 400, db: -20 },
  { hz: 3300, bandwidthHz: 1200, db: -34 },
]

const declination = { from: 1.1, to: 0.88 }
const accentRise = 0.15
/** The factor that the pitch reaches on the last syllable. */
const finalPitch = { statement: 0.76, question: 1.42, continuation: 1.12 }

/** The factor of the voice's pitch at a share of a segment that itself lies at a share of its phrase. */
export function pitchAt(
  segment: Segment,
  end: Phrase['end'],
  at: { segment: number; phrase: number },
): number {
  const base = declination.from + (declination.to - declination.from) * at.phrase
  if (segment.isLast) {
    const reached = isVowel(segment.symbol) ? at.segment : 1
    return base * (1 + (finalPitch[end] - 1) * (1 - Math.cos(Math.PI * reached)) * 0.5)
  }
  return segment.isAccented ? base * (1 + accentRise * Math.sin(Math.PI * at.segment)) : base
}
