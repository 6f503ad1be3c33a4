/** Checks the transcript of one piece: an upstream's text is bounded, and its times are put in order and into the recording. */
import { maxTranscriptTokens } from '#core/models'
import { type TranscriptionResult, UpstreamError } from '#core/spec'
import type { SpokenSegment, SpokenWord } from '#core/turn'
import { itemsPerStep, mapInSteps, runInSlices, type Steps, sortInSteps } from '#platform/slices'
import { foldPersian } from './fold.ts'
import { languageOf } from './language.ts'
import { segmentSteps } from './segments.ts'

/** The transcript of a piece. Times are in seconds of the whole recording. */
export interface PieceTranscript {
  from: number
  to: number
  text: string
  language: string | undefined
  segments: SpokenSegment[]
  words: SpokenWord[] | undefined
  /** False where the one segment is the piece itself, since the upstream gives no times. */
  isTimed: boolean
}

/** The most letters of a token of text: a model that writes more for a second repeats itself, or makes text up. */
const lettersOfToken = 4
/** The most words or segments of a second: nobody says more. */
const itemsPerSecond = 20
const leastItems = 100
/** The longest name that an upstream gives to a speaker. */
const maxNameLength = 100
/** The most speakers in one piece. The cost of matching speakers grows with the names of both pieces. */
const maxNames = 100

export interface PieceContext {
  from: number
  to: number
  /** The language that was requested. */
  language: string | undefined
  /** Whether Persian text gets Persian letters. */
  normalizes: boolean
  /** Whether speakers were to be told apart. */
  diarizes: boolean
}

/** The most characters that may be transcribed from this many seconds. */
export const maxTextLength = (seconds: number): number => lettersOfToken * maxTranscriptTokens(seconds)

/**
 * The checked transcript of a piece. It is made in slices, since four hours have tens of thousands of words. Throws `UpstreamError` malformed for
 * more than anybody can say in that time.
 */
export const checkTranscript = (
  transcribed: TranscriptionResult,
  frame: PieceContext,
): Promise<PieceTranscript> => runInSlices(checkTranscriptSteps(transcribed, frame))

export function* checkTranscriptSteps(
  transcribed: TranscriptionResult,
  frame: PieceContext,
): Steps<PieceTranscript> {
  const { from, to } = frame
  const language = frame.language ?? claimedLanguage(transcribed.language)
  const folds = frame.normalizes && language === 'fa'
  const normalise = (text: string): string => (folds ? foldPersian(text) : text).trim()
  const text = normalise(transcribed.text)
  yield
  const words = yield* mapInSteps(yield* timedItems(transcribed.words, frame), (one) => {
    const word = normalise(one.word)
    return word === '' ? undefined : { ...one, word }
  })
  const segments = yield* mapInSteps(yield* timedItems(transcribed.segments, frame), (one) => {
    const said = normalise(one.text)
    return said === '' ? undefined : { ...one, text: said }
  })
  const ofWords = yield* extentOf(words, ({ word }) => word)
  const ofSegments = yield* extentOf(segments, (one) => one.text)
  const maxLetters = maxTextLength(to - from)
  if (Math.max(text.length, ofWords.letters, ofSegments.letters) > maxLetters) throw implausibleTextError()
  if (Math.max(ofWords.names, ofSegments.names) > maxNames) throw implausibleTextError('more speakers')
  const isOwn =
    segments.length > 0 && !(frame.diarizes && segments.some(({ speaker }) => speaker === undefined))
  return {
    ...{ from, to, language },
    text: text === '' ? segments.map((one) => one.text).join(' ') : text,
    segments: isOwn ? segments : yield* segmentSteps({ from, to, text, words }, segments),
    words: words.length > 0 ? words : undefined,
    isTimed: segments.length > 0 || words.length > 0,
  }
}

const implausibleTextError = (what = 'more text'): UpstreamError =>
  new UpstreamError('malformed', { detail: `${what} than can be said in the time` })

/** The letters of all texts, and the number of speakers. */
function* extentOf<One extends { speaker?: string }>(
  items: readonly One[],
  textOf: (item: One) => string,
): Steps<{ letters: number; names: number }> {
  const names = new Set<string | undefined>()
  let letters = 0
  for (const [index, item] of items.entries()) {
    if (index % itemsPerStep === itemsPerStep - 1) yield
    letters += textOf(item).length
    names.add(item.speaker)
  }
  return { letters, names: names.size }
}

function claimedLanguage(claimed: string | undefined): string | undefined {
  return claimed === undefined ? undefined : languageOf(claimed)
}

/** The items in order of their beginnings, within the piece, and with times of the whole recording; none where one of them has no times. */
function* timedItems<One extends { start: number; end: number; speaker?: string }>(
  items: readonly One[] | undefined,
  { from, to }: PieceContext,
): Steps<One[]> {
  if (!items) return []
  if (items.length > leastItems + Math.ceil(itemsPerSecond * (to - from))) throw implausibleTextError()
  if (!items.every(({ start, end }) => Number.isFinite(start) && Number.isFinite(end))) return []
  const within = (time: number): number => round(Math.max(from, Math.min(to, from + time)))
  const placed = yield* mapInSteps(items, (one) => {
    const start = within(one.start)
    const { speaker, ...rest } = one
    const named = speaker === undefined ? {} : { speaker: speaker.slice(0, maxNameLength) }
    return { ...rest, ...named, start, end: Math.max(start, within(one.end)) } as One
  })
  return yield* sortInSteps(placed, ({ start }) => start)
}

/** Rounds to the millisecond. */
export const round = (seconds: number): number => Math.round(seconds * 1_000) / 1_000
