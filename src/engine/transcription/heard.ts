/** What was heard in one piece, as far as it can be: an upstream's text is bounded, its times are put in order and into the recording. */
import { maxTranscriptTokens } from '#engine/models'
import type { SpokenSegment, SpokenWord } from '#engine/turn'
import { type Transcribed, UpstreamError } from '#providers/spec'
import { foldPersian } from './fold.ts'
import { languageOf } from './language.ts'
import { segmentsOf } from './segments.ts'

/** Times are in seconds of the whole recording. */
export interface Heard {
  from: number
  to: number
  text: string
  language: string | undefined
  segments: SpokenSegment[]
  words: SpokenWord[] | undefined
  /** False: the one segment is the piece itself, since the upstream says no times. */
  isTimed: boolean
}

/** Letters of a token of text at most: a model that writes more of a second repeats itself, or makes it up. */
const lettersOfToken = 4
/** Of a second: more than anybody says. */
const itemsPerSecond = 20
const leastItems = 100
/** Of an upstream's own name of who speaks. */
const longestName = 100

export interface Frame {
  from: number
  to: number
  /** That was asked for. */
  language: string | undefined
  /** Persian letters in Persian text. */
  normalizes: boolean
  /** Whether speakers were to be told apart. */
  diarizes: boolean
}

/** Characters that may be written of so many seconds. */
export const maxTextLength = (seconds: number): number => lettersOfToken * maxTranscriptTokens(seconds)

/** Throws `UpstreamError` malformed for more than can have been said in the time. */
export function heardOf(transcribed: Transcribed, frame: Frame): Heard {
  const { from, to } = frame
  const seconds = to - from
  const language = frame.language ?? claimedLanguage(transcribed.language)
  const folds = frame.normalizes && language === 'fa'
  const written = (text: string): string => (folds ? foldPersian(text) : text).trim()
  const maxItems = leastItems + Math.ceil(itemsPerSecond * seconds)
  const text = written(transcribed.text)
  const words = timed(transcribed.words, frame, maxItems).map((one) => ({ ...one, word: written(one.word) }))
  const segments = timed(transcribed.segments, frame, maxItems).map((one) => ({
    ...one,
    text: written(one.text),
  }))
  const most = maxTextLength(seconds)
  for (const length of [
    text.length,
    lengthOf(words.map(({ word }) => word)),
    lengthOf(segments.map((one) => one.text)),
  ])
    if (length > most) throw babble()
  const said = { from, to, text, words: words.filter(({ word }) => word !== '') }
  const spoken = segments.filter((one) => one.text !== '')
  const isOwn = spoken.length > 0 && !(frame.diarizes && spoken.some(({ speaker }) => speaker === undefined))
  return {
    ...{ from, to, language },
    text: text === '' ? spoken.map((one) => one.text).join(' ') : text,
    segments: isOwn ? spoken : segmentsOf(said, spoken),
    words: said.words.length > 0 ? said.words : undefined,
    isTimed: spoken.length > 0 || said.words.length > 0,
  }
}

const babble = (): UpstreamError =>
  new UpstreamError('malformed', { detail: 'more text than can be said in the time' })

const lengthOf = (texts: readonly string[]): number => texts.reduce((sum, { length }) => sum + length, 0)

function claimedLanguage(claimed: string | undefined): string | undefined {
  return claimed === undefined ? undefined : languageOf(claimed)
}

/** In order of their beginnings, within the piece, and on the clock of the recording. */
function timed<One extends { start: number; end: number; speaker?: string }>(
  items: readonly One[] | undefined,
  { from, to }: Frame,
  maxItems: number,
): One[] {
  if (!items) return []
  if (items.length > maxItems) throw babble()
  const isTimed = items.every(({ start, end }) => Number.isFinite(start) && Number.isFinite(end))
  if (!isTimed) return []
  const within = (time: number): number => round(Math.max(from, Math.min(to, from + time)))
  return items
    .map((one) => {
      const start = within(one.start)
      const { speaker, ...rest } = one
      const named = speaker === undefined ? {} : { speaker: speaker.slice(0, longestName) }
      return { ...rest, ...named, start, end: Math.max(start, within(one.end)) } as One
    })
    .toSorted((a, b) => a.start - b.start)
}

/** To the millisecond. */
export const round = (seconds: number): number => Math.round(seconds * 1_000) / 1_000
