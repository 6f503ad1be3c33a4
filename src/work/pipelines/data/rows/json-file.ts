/** Files of JSON: a list of records somewhere in a document, or a record in each line. */
import { type TextFileEncoding, textOf } from './encoding.ts'
import { parseLenientJson } from './json-text.ts'
import { maxColumns, noFaults, type Row, type RowSource, type RowVisitor } from './source.ts'

export interface JsonSpec {
  kind: 'json'
  encoding: TextFileEncoding
  /** Path to the list of records, such as `data.items`; '' for the document itself, `*` for one record per line. */
  path: string
  names: string[]
  /** Columns beyond the limit. */
  unread: number
}

/** Maximum characters of one record. */
const maxRecord = 1 << 20
const maxLists = 64
const maxDepth = 64
/** Characters shown of an unread record. */
const maxExample = 60
const maxExamples = 3

interface RecordHandlers {
  /** Takes a record; `false` ends the reading. */
  take(value: unknown, path: string): unknown
  /** Reports the beginning of a record that is invalid, too long or incomplete. */
  lose?(text: string, path: string): void
}

/**
 * Finds records in a stream of text: the objects and lists that are elements of a list, without parsing inside them. Everything else is
 * skipped.
 */
class RecordScanner {
  readonly #takes: RecordHandlers
  /** The enclosing brackets at the current position, with the names that lead to them. */
  readonly #open: { sign: string; name: string }[] = []
  #text = ''
  #at = 0
  #quoted = false
  #escaped = false
  #stringStart = -1
  #name = ''
  /** Start and depth of the current record. */
  #record = -1
  #depth = 0
  /** Beginning of the current record if it exceeds the limit. */
  #long: string | undefined
  ended = false

  constructor(handlers: RecordHandlers) {
    this.#takes = handlers
  }

  push(text: string): void {
    this.#text += text
    for (; this.#at < this.#text.length && !this.ended; this.#at += 1) this.#step(this.#text[this.#at]!)
    this.#forget()
  }

  /** Ends the text; reports a record that is incomplete. */
  end(): void {
    if (this.#record >= 0 && !this.ended) this.#lose()
  }

  #step(character: string): void {
    if (this.#quoted) {
      if (this.#escaped) this.#escaped = false
      else if (character === '\\') this.#escaped = true
      else if (character === '"') this.#endString()
    } else if (character === '"') {
      this.#quoted = true
      this.#stringStart = this.#at
    } else if (character === '{' || character === '[') this.#enter(character)
    else if (character === '}' || character === ']') this.#leave()
  }

  #endString(): void {
    this.#quoted = false
    if (this.#record < 0) this.#name = this.#text.slice(this.#stringStart + 1, this.#at).slice(0, 100)
  }

  #enter(sign: string): void {
    if (this.#record >= 0) {
      this.#depth += 1
      return
    }
    const parent = this.#open.at(-1)
    const isInLines = parent === undefined && sign === '{'
    if (parent?.sign === '[' && (sign === '{' || this.#open.length >= 1)) {
      this.#record = this.#at
      this.#depth = 1
      return
    }
    if (this.#open.length >= maxDepth) this.ended = true
    this.#open.push({ sign, name: parent?.sign === '{' ? this.#name : '' })
    if (isInLines) this.#name = ''
  }

  #leave(): void {
    if (this.#record < 0) {
      this.#open.pop()
      return
    }
    this.#depth -= 1
    if (this.#depth > 0) return
    const value = this.#long === undefined ? parsed(this.#text.slice(this.#record, this.#at + 1)) : undefined
    if (value === undefined) this.#lose()
    else if (this.#takes.take(value, this.#path()) === false) this.ended = true
    this.#record = -1
    this.#long = undefined
  }

  #path(): string {
    return this.#open
      .map(({ name }) => name)
      .filter((name) => name !== '')
      .join('.')
  }

  #lose(): void {
    this.#takes.lose?.(
      this.#long ?? this.#text.slice(this.#record, this.#at + 1).slice(0, maxExample),
      this.#path(),
    )
  }

  /** Drops the part of the buffer that is not needed any more. */
  #forget(): void {
    const start = this.#record >= 0 ? this.#record : this.#quoted ? this.#stringStart : this.#at
    if (this.#at - start > maxRecord) {
      this.#passOver(start)
      return
    }
    this.#text = this.#text.slice(start)
    this.#at -= start
    this.#stringStart -= start
    if (this.#record >= 0) this.#record = 0
  }

  /** A record or name beyond the limit is skipped without being stored. */
  #passOver(start: number): void {
    if (this.#record >= 0) this.#long ??= this.#text.slice(start, start + maxExample)
    this.#text = this.#text.slice(this.#at)
    this.#at = 0
    this.#stringStart = 0
    if (this.#record >= 0) this.#record = 0
  }
}

/** Parses JSON. Numbers keep their digits, with an unambiguous decimal sign. */
const parsed = (text: string): unknown =>
  parseLenientJson(text, function (
    this: unknown,
    _key: string,
    value: unknown,
    context?: { source?: string },
  ) {
    return typeof value === 'number' ? writtenNumber(context?.source ?? String(value)) : value
  } as (key: string, value: unknown) => unknown)

const writtenNumber = (source: string): string => source.replace('.', '٫').replace(/e(?=\d)/i, 'E+')

/** Finds the list of records in a file, and the names of their members. Undefined for a file without any. */
export async function jsonSpec(path: string, encoding: TextFileEncoding): Promise<JsonSpec | undefined> {
  const lists = new Map<string, { count: number; names: Set<string>; isListed: boolean }>()
  const take = (value: unknown, at: string) => {
    const known = lists.get(at)
    if (!known && lists.size >= maxLists) return
    const list = known ?? { count: 0, names: new Set<string>(), isListed: Array.isArray(value) }
    lists.set(at, list)
    list.count += 1
    for (const name of Object.keys(flat(value))) list.names.add(name)
  }
  await eachRecord(path, encoding, { take })
  const [at, list] = [...lists].toSorted(([, a], [, b]) => b.count - a.count)[0] ?? []
  if (at === undefined || !list || list.names.size === 0) return undefined
  const names = [...list.names]
  return {
    kind: 'json',
    encoding,
    path: at,
    names: names.slice(0, maxColumns),
    unread: Math.max(0, names.length - maxColumns),
  }
}

/** Reads the records of a file: one per line, if there is no list around them, or those of its lists. */
async function eachRecord(path: string, encoding: TextFileEncoding, handlers: RecordHandlers): Promise<void> {
  if (await hasLines(path, encoding)) return eachLine(path, encoding, handlers)
  const scanner = new RecordScanner(handlers)
  for await (const text of textOf(path, encoding)) {
    scanner.push(text)
    if (scanner.ended) return
  }
  scanner.end()
}

async function hasLines(path: string, encoding: TextFileEncoding): Promise<boolean> {
  let head = ''
  for await (const text of textOf(path, encoding)) {
    head += text
    if (head.length > maxRecord) break
  }
  const first = head.split('\n', 50).find((line) => line.trim() !== '') ?? ''
  return first.trim().startsWith('{') && parsed(first) !== undefined && head.trim() !== first.trim()
}

async function eachLine(
  path: string,
  encoding: TextFileEncoding,
  { take, lose }: RecordHandlers,
): Promise<void> {
  let left = ''
  /** Beginning of the current line if it exceeds the limit. */
  let long: string | undefined
  const emit = (line: string): boolean => {
    const value = long === undefined ? parsed(line) : undefined
    const isLost = typeof value !== 'object' || value === null
    const start = long ?? line.trimStart()
    long = undefined
    if (!isLost) return take(value, '*') !== false
    if (start !== '') lose?.(start.slice(0, maxExample), '*')
    return true
  }
  for await (const text of textOf(path, encoding)) {
    const lines = (left + text).split('\n')
    left = lines.pop()!
    for (const line of lines) if (!emit(line)) return
    if (long === undefined && left.length > maxRecord) long = left.trimStart().slice(0, maxExample)
    if (long !== undefined) left = ''
  }
  emit(left)
}

const maxLevels = 4

/** Flattens a record to names such as `address.city`. A list of values becomes a text; in a record that is a list, positions are names. */
function flat(value: unknown, prefix = '', found: Record<string, unknown> = Object.create(null), level = 0) {
  for (const [name, member] of Object.entries(value as object)) {
    const path = prefix + (Array.isArray(value) ? String(Number(name) + 1) : name)
    if (typeof member === 'object' && member !== null && !Array.isArray(member) && level < maxLevels)
      flat(member, `${path}.`, found, level + 1)
    else found[path] = member
  }
  return found
}

export function jsonRows(path: string, spec: JsonSpec, name: string): RowSource {
  const isNamed = !spec.names.every((each, place) => each === String(place + 1))
  const faults = { ...noFaults(), encoding: spec.encoding }
  return {
    name,
    ...(isNamed && { names: spec.names }),
    faults,
    rows(visit: RowVisitor) {
      const unparsed = { count: 0, examples: [] as string[] }
      faults.unparsed = unparsed
      return eachRecord(path, spec.encoding, {
        take(value, at) {
          if (at !== spec.path) return undefined
          const members = flat(value)
          const row: Row = spec.names.map((each) => cellOf(members[each]))
          return visit(row)
        },
        lose(text, at) {
          if (at !== spec.path) return
          unparsed.count += 1
          if (unparsed.examples.length < maxExamples) unparsed.examples.push(text.toWellFormed())
        },
      })
    },
  }
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value.trim()
  return typeof value === 'object' ? JSON.stringify(value).slice(0, 500) : String(value)
}
