/** Lines of an export that somebody sent: bounded, and each an object that may stand there. */
import { createReadStream } from 'node:fs'
import { declarationOf, Failure, fail, type Localized } from '#platform/errors'
import { type Check, compile } from '#platform/http'
import { reasons } from './phrases.ts'
import { type Line, type LineType, lines } from './schema.ts'

/** Larger files are in several lines. */
const longestLineBytes = 2 * 1024 * 1024

export interface NumberedLine {
  number: number
  line: Line
}

export const refuseLine = (line: number, why: Localized): never =>
  fail('CLOUD_IMPORT_INVALID', { line, why }, { param: 'export' })

/** What a room refuses is answered with the line that it stands in; what may be tried again is thrown as it is. */
export const refusedAt = (number: number, error: unknown): unknown =>
  error instanceof Failure && error.status < 500 && error.code !== 'CLOUD_IMPORT_INVALID'
    ? new Failure('CLOUD_IMPORT_INVALID', { line: number, why: sentencesOf(error) }, { param: 'export' })
    : error

const sentencesOf = ({ code, detail }: Failure): Localized => {
  const { en, fa } = declarationOf(code)
  return { en: en(detail), fa: fa(detail) }
}

function atLine(number: number, work: () => void): void {
  try {
    work()
  } catch (error) {
    throw refusedAt(number, error)
  }
}

/** In the order in which they have to stand. */
const places: Record<LineType, number> = {
  cloud: 0,
  user: 1,
  collection: 2,
  row: 3,
  file: 4,
  file_part: 4,
  function: 5,
  end: 6,
}

/** Checks of `lines`, made when the first export comes. */
let checks: ReadonlyMap<string, Check> | undefined

/** Throws CLOUD_IMPORT_INVALID. */
export async function* readLines(path: string): AsyncGenerator<NumberedLine> {
  checks ??= new Map(Object.entries(lines).map(([type, schema]) => [type, compile(schema, 'body')]))
  let number = 0
  let place = -1
  let isPartOpen = false
  for await (const bytes of splitLines(path)) {
    number++
    if (place === places.end) refuseLine(number, reasons.order)
    const line = parseLine(number, bytes, checks)
    const own = places[line.type]
    if (number === 1 && line.type !== 'cloud') refuseLine(number, reasons.first)
    if (own < place || (own === 0 && number > 1)) refuseLine(number, reasons.order)
    // The parts of a file follow it at once.
    if (isPartOpen !== (line.type === 'file_part')) refuseLine(number, reasons.order)
    isPartOpen = (line.type === 'file' || line.type === 'file_part') && line.more
    place = own
    if (line.type === 'end' && line.lines !== number) refuseLine(number, reasons.cut)
    yield { number, line }
  }
  if (place !== places.end) refuseLine(number + 1, reasons.cut)
}

function parseLine(number: number, bytes: Buffer, known: ReadonlyMap<string, Check>): Line {
  let value: { type?: unknown } | null = null
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    refuseLine(number, reasons.notJson)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refuseLine(number, reasons.notJson)
  const check = typeof value.type === 'string' ? known.get(value.type) : undefined
  if (!check) return refuseLine(number, reasons.unknownType)
  atLine(number, () => check(value))
  return value as Line
}

/** Without their ends; what would be too long is refused before it is held. */
async function* splitLines(path: string): AsyncGenerator<Buffer> {
  let held: Buffer[] = []
  let heldBytes = 0
  let number = 1
  const hold = (part: Buffer) => {
    held.push(part)
    heldBytes += part.length
    if (heldBytes > longestLineBytes) refuseLine(number, reasons.tooLong)
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
