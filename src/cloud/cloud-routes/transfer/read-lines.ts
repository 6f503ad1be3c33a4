/** Reads lines of an export that somebody sent: bounded, and each an object that may stand there. */
import { createReadStream } from 'node:fs'
import { declarationOf, Failure, fail, type Localized } from '#platform/errors'
import { type Check, compile } from '#platform/http'
import { boundsOf, NotJson, readJson } from '#platform/json'
import { reasons } from './phrases.ts'
import { type ExportLine, type LineType, lineSchemas } from './schema.ts'

/** Larger files are in several lines. */
const maxLineBytes = 2 * 1024 * 1024
/** Some editors put it at the beginning of a file. */
const byteOrderMark = Buffer.from('\ufeff')

/**
 * The most of a line without the bytes of a file: numbers, names and brackets take the parser, and so everybody else, much longer than one text does.
 */
const maxParsedBytes = 512 * 1024

export interface NumberedLine {
  number: number
  line: ExportLine
}

export const refuseLine = (line: number, why: Localized): never =>
  fail('CLOUD_IMPORT_INVALID', { line, why }, { param: 'export' })

/** Codes of errors in a line; errors that are to be tried again, or are about the cloud, are thrown as they are. */
const lineErrorCodes = /^(?:APP_|COLLECTION_|ROW_|FUNCTION_|INVALID_REQUEST$)/

/** Returns a room's refusal with the line that it is about. */
export const withLineNumber = (number: number, error: unknown): unknown =>
  error instanceof Failure && error.status < 500 && lineErrorCodes.test(error.code)
    ? withLine(number, error)
    : error

const withLine = (number: number, failure: Failure): Failure =>
  new Failure('CLOUD_IMPORT_INVALID', { line: number, why: sentencesOf(failure) }, { param: 'export' })

const sentencesOf = ({ code, detail }: Failure): Localized => {
  const { en, fa } = declarationOf(code)
  return { en: en(detail), fa: fa(detail) }
}

/** The order in which lines have to stand. */
const lineOrder: Record<LineType, number> = {
  cloud: 0,
  auth: 1,
  user: 2,
  collection: 3,
  row: 4,
  file: 5,
  file_part: 5,
  function: 6,
  end: 7,
}

/** Checks of `lines`, made when the first export comes. */
let checks: ReadonlyMap<string, Check> | undefined

/**
 * Yields all lines, or those of some types: then lines after the last of them are not read, so the file has to be known to be whole. Throws
 * CLOUD_IMPORT_INVALID.
 */
export async function* readLines(path: string, types?: readonly LineType[]): AsyncGenerator<NumberedLine> {
  checks ??= new Map(Object.entries(lineSchemas).map(([type, schema]) => [type, compile(schema, 'body')]))
  const last = types === undefined ? lineOrder.end : Math.max(...types.map((type) => lineOrder[type]))
  let number = 0
  let place = -1
  let isPartOpen = false
  for await (const bytes of splitLines(path)) {
    number++
    if (place === lineOrder.end) refuseLine(number, reasons.order)
    const line = await parseLine(number, bytes, checks)
    const own = lineOrder[line.type]
    if (number === 1 && line.type !== 'cloud') refuseLine(number, reasons.first)
    if (own < place || (own === place && own < lineOrder.user)) refuseLine(number, reasons.order)
    // The parts of a file follow it directly.
    if (isPartOpen !== (line.type === 'file_part')) refuseLine(number, reasons.order)
    isPartOpen = (line.type === 'file' || line.type === 'file_part') && line.more
    place = own
    if (place > last) return
    if (line.type === 'end' && line.lines !== number) refuseLine(number, reasons.cut)
    if (!types || types.includes(line.type)) yield { number, line }
  }
  if (place !== lineOrder.end) refuseLine(number + 1, reasons.cut)
}

async function parseLine(
  number: number,
  bytes: Buffer,
  known: ReadonlyMap<string, Check>,
): Promise<ExportLine> {
  if (bytes.length - textBytes(bytes) > maxParsedBytes) refuseLine(number, reasons.tooLong)
  const text = bytes.indexOf(byteOrderMark) === 0 ? bytes.subarray(byteOrderMark.length) : bytes
  const value = (await readJson(text, { ...boundsOf(maxLineBytes), exact: true }).catch((error: unknown) => {
    if (!(error instanceof NotJson)) throw error
    refuseLine(number, reasons.notJson)
  })) as { type?: unknown } | null
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refuseLine(number, reasons.notJson)
  const check = typeof value.type === 'string' ? known.get(value.type) : undefined
  if (!check) return refuseLine(number, reasons.unknownType)
  try {
    check(value)
  } catch (error) {
    throw error instanceof Failure ? withLine(number, error) : error
  }
  return value as ExportLine
}

const contentKey = '"content_base64"'

/** Returns the length of the text after `content_base64`, before the line is parsed. */
function textBytes(line: Buffer): number {
  const key = line.indexOf(contentKey)
  const from = key === -1 ? -1 : line.indexOf('"', key + contentKey.length)
  const to = from === -1 ? -1 : line.indexOf('"', from + 1)
  return to === -1 ? 0 : to - from
}

/** Yields lines without their ends; a line that would be too long is refused before it is held. */
async function* splitLines(path: string): AsyncGenerator<Buffer> {
  let held: Buffer[] = []
  let heldBytes = 0
  let number = 1
  const hold = (part: Buffer) => {
    held.push(part)
    heldBytes += part.length
    if (heldBytes > maxLineBytes) refuseLine(number, reasons.tooLong)
  }
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let from = 0
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      hold(chunk.subarray(from, at))
      yield Buffer.concat(held)
      held = []
      heldBytes = 0
      number++
      from = at + 1
    }
    hold(chunk.subarray(from))
  }
  if (heldBytes > 0) yield Buffer.concat(held)
}
