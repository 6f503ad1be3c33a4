/**
 * Lines of functions on their way to the database: bounded, masked, and written some times a second. Lines that are too many are dropped, and a line
 * says how many.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { CloudKey } from '#cloud/clouds'
import type { Clock } from '#platform/clock'
import type { Db } from '#platform/db'
import { isUuid } from '#platform/ids'
import type { Log } from '#platform/log'
import { Slice } from '#platform/slices'
import { sourcePositions } from '../compile/positions.ts'
import type { LogLine } from '../functions.ts'
import { prefixIn } from '../settings.ts'
import { insertLines, liveMappings } from './log-store.ts'
import type { Mask } from './mask.ts'
import { droppedLines, dropReasons } from './phrases.ts'

export interface LogIntakeOptions {
  db: Db
  clock: Clock
  log: Log
  /** Takes the cloud's secrets out of a line. */
  maskOf: (cloud: CloudKey) => Promise<Mask>
}

const flushMs = 200
/** The most lines and characters of one cloud between two writes. */
const maxLines = 500
const maxCharacters = 500_000
/** The most clouds whose lines wait in this process. */
const maxClouds = 2_000
/** The longest line; the runtime has cut it before, at this length or one character later. */
const maxMessageLength = 8_000
const cutMark = '…'

interface WaitingLines {
  cloud: CloudKey
  lines: LogLine[]
  characters: number
  /** The dropped lines by function: how many, and the prefix of the first of them. */
  dropped: Map<string, { count: number; prefix: string }>
}

export class LogIntake implements AsyncDisposable {
  readonly #options: LogIntakeOptions
  #waiting = new Map<string, WaitingLines>()
  #writing: Promise<void> | undefined
  readonly #stop = new AbortController()

  constructor(options: LogIntakeOptions) {
    this.#options = options
  }

  /** Adds lines of a cloud; never throws. */
  add(cloud: CloudKey, lines: readonly LogLine[]): void {
    const waiting = this.#of(cloud)
    if (!waiting) return
    for (const line of lines) {
      if (waiting.lines.length >= maxLines || waiting.characters >= maxCharacters) {
        drop(waiting, line)
        continue
      }
      waiting.lines.push(line)
      waiting.characters += Math.min(line.message.length, maxMessageLength)
    }
    this.#writing ??= this.#write()
  }

  /** Resolves when the lines that were added before are written, or lost. */
  async settled(): Promise<void> {
    while (this.#writing) await this.#writing
  }

  /** Writes the lines that wait at once. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.settled()
  }

  #of(cloud: CloudKey): WaitingLines | undefined {
    const known = this.#waiting.get(cloud.cloudId)
    if (known || this.#waiting.size >= maxClouds) return known
    const { accountId, cloudId } = cloud
    const waiting = { cloud: { accountId, cloudId }, lines: [], characters: 0, dropped: new Map() }
    this.#waiting.set(cloudId, waiting)
    return waiting
  }

  async #write(): Promise<void> {
    await pause(flushMs, undefined, { signal: this.#stop.signal }).catch(() => undefined)
    const waiting = [...this.#waiting.values()]
    this.#waiting = new Map()
    for (const one of waiting) await this.#writeOne(one)
    this.#writing = this.#waiting.size > 0 ? this.#write() : undefined
  }

  async #writeOne({ cloud, lines, dropped }: WaitingLines): Promise<void> {
    try {
      for (const [name, { count, prefix }] of dropped)
        lines.push({
          ...{ name, level: 'warn', requestId: null, at: new Date(this.#options.clock.nowMs()) },
          message: prefix + droppedLines(count, dropReasons.tooMuch),
        })
      const placed = await withSourcePositions(this.#options.db, cloud, lines)
      const masked = await this.#masked(cloud, placed)
      await insertLines(this.#options.db, cloud, masked)
    } catch (error) {
      const { cloudId: cloud_id, accountId: account_id } = cloud
      const fields = { err: error, account_id, cloud_id, count: lines.length }
      this.#options.log.warn(fields, 'lines of functions were lost')
    }
  }

  async #masked(cloud: CloudKey, lines: readonly LogLine[]): Promise<LogLine[]> {
    const mask = await this.#options.maskOf(cloud)
    const slice = new Slice()
    const ready: LogLine[] = []
    for (const line of lines) {
      const { message, requestId } = line
      const isId = requestId !== null && isUuid(requestId)
      ready.push({ ...line, message: maskMessage(message, mask), requestId: isId ? requestId : null })
      if (slice.isOver()) await slice.next()
    }
    return ready
  }
}

function drop({ dropped }: WaitingLines, { name, message }: LogLine): void {
  const before = dropped.get(name)
  if (before) before.count++
  else dropped.set(name, { count: 1, prefix: prefixIn(message) })
}

function maskMessage(message: string, mask: Mask): string {
  const isCut = message.length >= maxMessageLength
  // NUL and half surrogate pairs cannot be stored as text.
  const kept = message.slice(0, maxMessageLength).replaceAll('\0', '\u2400').toWellFormed()
  return isCut ? mask(kept, true) + cutMark : mask(kept, false)
}

/** The file of the function, as the runtime calls it. */
const runningFile = 'function.js'
const placePattern = /\bfunction\.js:(\d{1,9}):(\d{1,9})/g
/** The most places of one function that are looked up in one write; the others stay as the runtime has written them. */
const maxPlaces = 100

/** Replaces places in stack traces, so that they name lines of the code that was sent and not of its bundle. */
async function withSourcePositions(
  db: Db,
  cloud: CloudKey,
  lines: readonly LogLine[],
): Promise<readonly LogLine[]> {
  const named = lines.filter(({ message }) => message.includes(runningFile))
  if (named.length === 0) return lines
  const found = new Map<string, string>()
  const mappings = await liveMappings(db, cloud, [...new Set(named.map(({ name }) => name))])
  for (const [name, mapping] of mappings) {
    const own = named.filter((line) => line.name === name)
    const texts = new Set(own.flatMap(({ message }) => message.match(placePattern) ?? []))
    const wanted = [...texts].slice(0, maxPlaces)
    const places = await sourcePositions(mapping, wanted.map(placeIn))
    for (const [at, text] of wanted.entries()) {
      const place = places[at]
      if (place) found.set(`${name} ${text}`, `index.js:${place.line}:${place.column}`)
    }
  }
  return lines.map((line) => ({
    ...line,
    message: line.message.replace(placePattern, (text) => found.get(`${line.name} ${text}`) ?? text),
  }))
}

const placeIn = (text: string) => {
  const [, line, column] = text.split(':')
  return { line: Number(line), column: Number(column) }
}
