/** Reads the inputs of an order: texts, dialogues and reference pictures, each within the bounds of the API. */
import { addAbortSignal } from 'node:stream'
import { refuseUsage, type Session } from '../../command.ts'
import { latin } from '../../numerals.ts'
import { readBounded, readStream, utf8 } from '../../read-bounded.ts'
import { studioPhrases as words } from './phrases.ts'

/** The most bytes of one character in UTF-8. */
const maxCharacterBytes = 4
/** Contract section 4: a data URL of 12,000,000 characters. */
const maxReferenceBytes = Math.floor((12_000_000 - 'data:image/jpeg;base64,'.length) / 4) * 3
const maxReferences = 8
const maxTurns = 40
const maxTurnCharacters = 12_000
const maxDialogueBytes = maxTurns * maxTurnCharacters * maxCharacterBytes

/** A text as typed, or from standard input for `-`. */
export async function textOf(
  { stopping }: Session,
  what: string,
  typed: string,
  maxCharacters: number,
): Promise<string> {
  if (typed !== '-') return requireMaxLength(what, withHyphen(typed), maxCharacters)
  const stream = addAbortSignal(stopping, process.stdin)
  const tooLong = words.textTooLong(what, maxCharacters)
  const bytes = await readStream(stream, maxCharacters * maxCharacterBytes, tooLong)
  return decoded(what, bytes, maxCharacters)
}

/** Restores the hyphen that `readArguments` replaced where the text begins like a negative number. */
const withHyphen = (typed: string): string => typed.replace(/^\u2212(?=[\d۰-۹٠-٩.٫])/, '-')

export async function textIn(place: string, maxCharacters: number): Promise<string> {
  const tooLong = words.textTooLong(place, maxCharacters)
  return decoded(place, await readBounded(place, maxCharacters * maxCharacterBytes, tooLong), maxCharacters)
}

const decoded = (what: string, bytes: Buffer, maxCharacters: number): string =>
  requireMaxLength(what, utf8(bytes) ?? refuseUsage(words.notUtf8(what)), maxCharacters)

function requireMaxLength(what: string, text: string, maxCharacters: number): string {
  const trimmed = text.trim()
  if (trimmed === '') refuseUsage(words.noText(what))
  // One character may be two units of UTF-16.
  if (trimmed.length > 2 * maxCharacters || [...trimmed].length > maxCharacters)
    refuseUsage(words.textTooLong(what, maxCharacters))
  return trimmed
}

export interface DialogueTurn {
  text: string
  voice: string
}

/** Reads a JSON list of turns, or lines of `voice: text`. The server decides what the turns may contain. */
export async function dialogueIn(place: string): Promise<unknown[]> {
  const text = utf8(await readBounded(place, maxDialogueBytes)) ?? refuseUsage(words.notUtf8(place))
  if (text.trim() === '') refuseUsage(words.noText(place))
  return /^\s*\[/.test(text) ? turnsOfJson(place, text) : turnsOfLines(place, text)
}

function turnsOfJson(place: string, text: string): unknown[] {
  try {
    const turns: unknown = JSON.parse(text)
    if (Array.isArray(turns)) return turns
  } catch {
    // The refusal below covers this too.
  }
  return refuseUsage(words.badDialogue(place))
}

function turnsOfLines(place: string, text: string): DialogueTurn[] {
  const turns: DialogueTurn[] = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue
    const colon = line.search(/[:：]/)
    const turn = { voice: line.slice(0, Math.max(colon, 0)).trim(), text: line.slice(colon + 1).trim() }
    if (turn.voice === '' || turn.text === '') refuseUsage(words.badTurn(place, index + 1))
    turns.push(turn)
  }
  return turns
}

/** Reads reference pictures as the API takes them; a file that is larger than the API takes is not read. */
export async function referencesIn(places: readonly string[]): Promise<{ dataUrl: string }[]> {
  if (places.length > maxReferences) refuseUsage(words.tooManyReferences(maxReferences))
  const references: { dataUrl: string }[] = []
  for (const place of places) {
    const bytes = await readBounded(place, maxReferenceBytes)
    const type = pictureType(bytes) ?? refuseUsage(words.notAPicture(place))
    references.push({ dataUrl: `data:${type};base64,${bytes.toString('base64')}` })
  }
  return references
}

function pictureType(bytes: Buffer): string | undefined {
  const head = bytes.toString('latin1', 0, 12)
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  return /^RIFF.{4}WEBP$/s.test(head) ? 'image/webp' : undefined
}

export function wholeNumber(option: string, typed: string, min: number, max: number): number {
  const number = Number(latin(typed.trim()))
  if (typed.trim() === '' || !Number.isInteger(number) || number < min || number > max)
    refuseUsage(words.notWithin(option, typed, min, max))
  return number
}
