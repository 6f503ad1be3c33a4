/** SubRip and WebVTT (https://www.w3.org/TR/webvtt1/) of a transcript. */
import { Slice } from '#platform/slices'
import type { Cue } from './cues.ts'

/** Languages that are written from right to left. */
const rightToLeft = new Set(['fa', 'ar', 'he', 'ur', 'ps', 'ckb', 'ku', 'sd', 'ug', 'yi', 'dv'])

/**
 * A line with a right-to-left mark, for players that go by the first letter, within an embedding (RLE … PDF), for players that take every line for
 * English: Latin words stay in their places, and the full stop comes at the left.
 */
const withRtlMarks = (line: string): string => `\u202b\u200f${line}\u202c`

const rightLetter = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/g
const leftLetter = /[A-Za-z\u00c0-\u024f\u0370-\u052f]/g
const count = (text: string, letter: RegExp): number => text.match(letter)?.length ?? 0

/**
 * The line, marked as right-to-left where needed: in a right-to-left language every line with such a letter, in any other language a line where these
 * letters are the majority.
 */
function withDirection(line: string, language: string | undefined): string {
  const right = count(line, rightLetter)
  const isTurned =
    right > 0 && ((language !== undefined && rightToLeft.has(language)) || right > count(line, leftLetter))
  return isTurned ? withRtlMarks(line) : line
}

/** A time such as `00:00:01,500`; hours have two digits or more. */
function timeOf(ms: number, separator: ',' | '.'): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  const [hours, minutes, seconds] = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1_000) % 60]
  return `${two(hours)}:${two(minutes)}:${two(seconds)}${separator}${String(ms % 1_000).padStart(3, '0')}`
}

const spanOf = ({ startMs, endMs }: Cue, separator: ',' | '.'): string =>
  `${timeOf(startMs, separator)} --> ${timeOf(endMs, separator)}`

export interface SubtitleOptions {
  /** The language in ISO 639-1, where it is known. */
  language: string | undefined
}

/**
 * Text for SubRip, which has no escapes, while players read HTML tags and `{\an8}` in it: a word joiner (U+2060) keeps text from being read as
 * either.
 */
const escapeSubRip = (text: string): string =>
  text
    .replaceAll('-->', '→')
    .replace(/<(?=[A-Za-z/])/g, '<\u2060')
    .replace(/\{(?=\\)/g, '{\u2060')

/** The text of each cue; cues of four hours are written in slices. */
async function blocksOf(
  cues: readonly Cue[],
  written: (cue: Cue, index: number) => string,
): Promise<string[]> {
  const slice = new Slice()
  const blocks: string[] = []
  for (const [index, cue] of cues.entries()) {
    if (slice.isOver()) await slice.next()
    blocks.push(written(cue, index))
  }
  return blocks
}

/** The cues as SubRip. A speaker's name stands before the first line of a cue where another one spoke before. */
export async function srtOf(cues: readonly Cue[], { language }: SubtitleOptions): Promise<string> {
  const blocks = await blocksOf(cues, (cue, index) => {
    const isNew = cue.speaker !== undefined && cue.speaker !== cues[index - 1]?.speaker
    const lines = cue.lines.map((line, place) => (isNew && place === 0 ? `${cue.speaker}: ${line}` : line))
    const text = lines.map((line) => withDirection(escapeSubRip(line), language)).join('\n')
    return `${index + 1}\n${spanOf(cue, ',')}\n${text}\n`
  })
  return blocks.join('\n')
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const escaped = (text: string): string => text.replace(/[&<>]/g, (sign) => escapes[sign]!)

/** The cues as WebVTT; a speaker is the voice of a cue. */
export async function vttOf(cues: readonly Cue[], { language }: SubtitleOptions): Promise<string> {
  const blocks = await blocksOf(cues, (cue) => {
    const voice = cue.speaker === undefined ? '' : `<v ${escaped(cue.speaker)}>`
    const text = cue.lines.map((line) => escaped(withDirection(line, language))).join('\n')
    return `${spanOf(cue, '.')}\n${voice}${text}\n`
  })
  return ['WEBVTT\n', ...blocks].join('\n')
}
