import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { LogLine } from '../functions.ts'
import { droppedLines, dropReasons } from '../logs/phrases.ts'
import { throttleStream } from './hold-to.ts'
import { outputPauseFactor, type RuntimeLimits } from './limits.ts'

export interface OutputOptions {
  limits: Pick<RuntimeLimits, 'linesPerSecond' | 'outputBytesPerSecond'>
  /** The prefix of every message. */
  prefix: string
  log: (lines: readonly LogLine[]) => void
}

/** The longest line that is kept while its end has not come. */
const maxLineLength = 64 * 1024
const secondMs = 1_000

/**
 * Reads the lines that the functions of one process write. Only some lines a second are kept, the others are counted, and a line says how many they
 * were. Nothing that is written is trusted, since any code of the process can write it.
 */
export class OutputLines {
  readonly #options: OutputOptions
  /** The function that wrote last: a line that names none counts as its line. */
  #name: string
  readonly #decoder = new StringDecoder('utf8')
  #rest = ''
  /** True while the input belongs to a line that was too long. */
  #skips = false
  #lines = 0
  #bytes = 0
  #dropped = 0
  #second: NodeJS.Timeout | undefined

  /** `name`: the function to which the first lines belong if they say nothing else. */
  constructor(stream: Readable, name: string, options: OutputOptions) {
    this.#name = name
    this.#options = options
    stream.on('data', (chunk: Buffer) => this.#take(chunk))
    throttleStream(outputPauseFactor * options.limits.outputBytesPerSecond, stream)
    stream.on('error', () => {})
    stream.once('close', () => this.#end())
  }

  #take(chunk: Buffer): void {
    this.#second ??= setTimeout(() => this.#nextSecond(), secondMs)
    this.#bytes += chunk.length
    const { outputBytesPerSecond, linesPerSecond } = this.#options.limits
    if (this.#bytes - chunk.length >= outputBytesPerSecond || this.#lines >= linesPerSecond) this.#drop(chunk)
    else this.#read(this.#decoder.write(chunk))
  }

  /** Drops bytes that nobody reads: only the ends of lines are counted. */
  #drop(chunk: Buffer): void {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) this.#dropped++
    this.#skips = chunk.at(-1) !== 10
    this.#rest = ''
    this.#decoder.end()
  }

  #read(text: string): void {
    const written = (this.#rest + text).split('\n')
    this.#rest = written.pop()!
    if (this.#rest.length > maxLineLength) {
      this.#rest = ''
      this.#skips = true
      this.#dropped++
    }
    if (this.#skips && written.length > 0) {
      written.shift()
      this.#skips = false
    }
    const room = Math.max(0, this.#options.limits.linesPerSecond - this.#lines)
    const kept = written.slice(0, room).flatMap((line) => this.#parse(line))
    this.#lines += Math.min(room, written.length)
    this.#dropped += Math.max(0, written.length - room)
    if (kept.length > 0) this.#options.log(kept)
  }

  #parse(line: string): LogLine[] {
    if (line === '') return []
    const markedLine = line.startsWith('\u0001') ? parseMarkedLine(line.slice(1)) : undefined
    this.#name = markedLine?.name ?? this.#name
    const { level, message, requestId } = markedLine ?? { level: 'info', message: line, requestId: null }
    return [
      {
        name: this.#name,
        level,
        message: this.#options.prefix + message,
        requestId,
        at: new Date(),
      },
    ]
  }

  #nextSecond(): void {
    this.#second = undefined
    this.#lines = this.#bytes = 0
    if (this.#dropped > 0) this.#sayDropped()
  }

  #sayDropped(): void {
    const message = this.#options.prefix + droppedLines(this.#dropped, dropReasons.tooMuch)
    this.#dropped = 0
    this.#options.log([{ name: this.#name, level: 'warn', message, requestId: null, at: new Date() }])
  }

  #end(): void {
    clearTimeout(this.#second)
    if (this.#rest !== '' && !this.#skips) this.#read('\n')
    if (this.#dropped > 0) this.#sayDropped()
  }
}

const levels: readonly string[] = ['debug', 'info', 'warn', 'error'] satisfies LogLine['level'][]
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

type MarkedLine = Pick<LogLine, 'level' | 'message' | 'requestId'> & { name: string | undefined }

function parseMarkedLine(text: string): MarkedLine | undefined {
  try {
    const { level, message, call, of } = JSON.parse(text) as Record<string, unknown>
    if (typeof message !== 'string' || !levels.includes(level as string)) return undefined
    return {
      level: level as LogLine['level'],
      message,
      requestId: typeof call === 'string' && uuid.test(call) ? call : null,
      name: typeof of === 'string' ? of : undefined,
    }
  } catch {
    return undefined
  }
}
