/** Reads what upstreams say of a recording: text, times and speakers. Whatever makes no sense is left out, for every figure is a claim. */

import { UpstreamError } from '#core/spec'
import type { SpokenSegment, SpokenWord, TranscriptionOrder } from '#core/turn'
import { isRecord } from '#platform/json'
import { mapInSteps, runInSlices, type Steps, sortInSteps } from '#platform/slices'

/** An answer has beside the text every word with its times, and on some wires each word again in its sentence and its paragraph. */
const bytesPerSecond = 8 * 1_024
const leastBytes = 1_024 * 1_024

/** The most bytes of an answer about a recording of this length. */
export const transcriptBytes = (seconds: number): number => leastBytes + Math.ceil(seconds * bytesPerSecond)

/** The bound fits a language with long words; a token of Persian is shorter. */
const charactersPerToken = 4
/** Nobody speaks as fast for long: a quick reader says 20 characters a second. */
const charactersPerSecond = 40
const leastCharacters = 400

/** Characters that a recording can have at most. Models that repeat themselves write without end. */
export const maxCharacters = ({ maxOutputTokens, recording }: TranscriptionOrder): number =>
  maxOutputTokens === undefined
    ? leastCharacters + Math.ceil(recording.seconds * charactersPerSecond)
    : maxOutputTokens * charactersPerToken

/** Throws malformed for more text than anybody speaks in the time. */
export function checkLength(characters: number, order: TranscriptionOrder): void {
  if (characters > maxCharacters(order))
    throw new UpstreamError('malformed', {
      detail: `more text than is spoken in ${Math.ceil(order.recording.seconds)} seconds`,
    })
}

/** A time within the recording, in seconds; undefined if it is none. */
function timeIn(value: unknown, seconds: number): number | undefined {
  const time = typeof value === 'string' ? Number.parseFloat(value) : value
  return typeof time === 'number' && Number.isFinite(time) ? Math.min(Math.max(time, 0), seconds) : undefined
}

/** Beginning and end within the recording; undefined where there are none. Claims that run backwards end where they begin. */
export function spanOf(
  { start, end }: Record<string, unknown>,
  seconds: number,
): { start: number; end: number } | undefined {
  const [from, to] = [timeIn(start, seconds), timeIn(end, seconds)]
  return from === undefined || to === undefined ? undefined : { start: from, end: Math.max(from, to) }
}

/** A name of a speaker, which some wires number. */
export const speakerOf = (value: unknown): { speaker?: string } => {
  const name = typeof value === 'number' ? String(value) : value
  return typeof name === 'string' && name !== '' ? { speaker: name.slice(0, 64) } : {}
}

/** Reads each item, drops those without a result and sorts the rest by their beginnings, in slices: a hostile answer lists hundreds of thousands. */
const spokenIn = <Read extends { start: number }>(
  list: unknown,
  read: (item: Record<string, unknown>) => Read | undefined,
): Promise<Read[]> => runInSlices(spokenSteps(Array.isArray(list) ? list : [], read))

function* spokenSteps<Read extends { start: number }>(
  list: readonly unknown[],
  read: (item: Record<string, unknown>) => Read | undefined,
): Steps<Read[]> {
  const all = yield* mapInSteps(list, (item) => (isRecord(item) ? read(item) : undefined))
  return yield* sortInSteps(all, ({ start }) => start)
}

/** Words with their times, in order; `text` says which field holds the word. */
export const wordsIn = (
  list: unknown,
  seconds: number,
  text: 'word' | 'text' | 'punctuated_word' = 'word',
): Promise<SpokenWord[]> =>
  spokenIn(list, (item) => {
    const span = spanOf(item, seconds)
    const word = item[text] ?? item['word']
    if (!span || typeof word !== 'string' || word.trim() === '') return undefined
    return { ...span, word: word.trim(), ...speakerOf(item['speaker'] ?? item['speaker_id']) }
  })

/** Segments in order, each read by `segmentOf`; those without text are left out. */
export const segmentsIn = (
  list: unknown,
  segmentOf: (item: Record<string, unknown>) => SpokenSegment | undefined,
): Promise<SpokenSegment[]> =>
  spokenIn(list, (item) => {
    const segment = segmentOf(item)
    return segment && segment.text !== '' ? segment : undefined
  })

/** Silence after which a new sentence is likely. */
const pauseSeconds = 0.8
/** The longest line of a subtitle that is read at a glance. */
const maxSegmentSeconds = 12
const sentenceEnd = /[.!?؟…۔。！？]["'»”)]*$/u

/** Words put together to sentences: a new one begins with another speaker, after a mark of its end, after a pause, and when it grows long. */
export function segmentsOfWords(words: readonly SpokenWord[]): SpokenSegment[] {
  const segments: SpokenSegment[] = []
  for (const [index, { start, end, word, speaker }] of words.entries()) {
    const open = segments.at(-1)
    const continues =
      open !== undefined &&
      open.speaker === speaker &&
      start - open.end < pauseSeconds &&
      end - open.start <= maxSegmentSeconds &&
      // Only the last word is tested, not the whole segment: words that have no time make one long segment.
      !sentenceEnd.test(words[index - 1]!.word)
    if (continues) {
      open.text += ` ${word}`
      open.end = Math.max(open.end, end)
    } else segments.push({ start, end, text: word, ...(speaker !== undefined && { speaker }) })
  }
  return segments
}

/** More than any recording has; larger claims are nonsense. */
const maxSeconds = 1_000_000

/** A length that an upstream claims to have billed. */
export const claimedSeconds = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 && value <= maxSeconds ? value : undefined

/** Whisper's languages (openai/whisper, tokenizer.py), which its servers name in English. */
const codes =
  'en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn ' +
  'et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ' +
  'ln ha ba jw su yue'
const otherNames: Record<string, string> = {
  myanmar: 'my',
  haitian: 'ht',
  'haitian creole': 'ht',
  pushto: 'ps',
  javanese: 'jv',
  tagalog: 'tl',
  nynorsk: 'nn',
  farsi: 'fa',
}
const byName = new Map<string, string>()

/** The ISO 639-1 code of a language that is given by that code, by one with a region (`fa-IR`), by ISO 639-3, or in English. */
export function languageCode(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 40) return undefined
  const name = value.trim().toLowerCase()
  if (byName.size === 0) nameLanguages()
  const known = byName.get(name)
  if (known !== undefined) return known
  try {
    const { language } = new Intl.Locale(name.replaceAll('_', '-'))
    return /^[a-z]{2,3}$/.test(language) && language !== 'und' ? language : undefined
  } catch {
    return undefined
  }
}

function nameLanguages(): void {
  const names = new Intl.DisplayNames('en', { type: 'language' })
  for (const code of codes.split(' ')) byName.set(names.of(code)!.toLowerCase(), code)
  for (const [name, code] of Object.entries(otherNames)) byName.set(name, code)
}
