import { type PartSink, type TextCall, type TextRun, UpstreamError } from '#core/spec'
import type { AnswerPart } from '#core/turn'

import { DepthScanner, isDeeper, isRecord, maxNestedDepth, readJsonSync } from '#platform/json'

import type { AnswerReader, EventProgress } from './answer-reader.ts'
import { eventBytes, streamedTextBytes, tooLong, wholeTextBytes } from './bounds.ts'
import type { AnswerReceiver, Exchange, ReplyHeaders } from './exchange.ts'
import { maxDepth, readJson, readSmallJson, tooDeep } from './json.ts'
import type { UpstreamClient } from './kit.ts'
import { SseReader } from './sse.ts'
import { WholeBody } from './whole-body.ts'

/** The client side of a wire: how requests are written and answers read. */
export interface ClientCodec {
  /** The path after the base address, such as `/chat/completions`. */
  path: string
  /** The request. Throws `UpstreamError` for a turn that this wire cannot carry. */
  body(call: TextCall): Record<string, unknown>
  headers?(call: TextCall): Record<string, string>
  /** The reader of a streamed answer. */
  reader(call: TextCall): AnswerReader
  /** The parts of a non-streamed answer. Throws `UpstreamError` if the body is not an answer of this wire. */
  readComplete(body: unknown, call: TextCall): Iterable<AnswerPart>
  /** Whether the request that `body` made of this call leaves out the reasoning that the turn wants. */
  skipsReasoning?(call: TextCall): boolean
}

/** Milliseconds per token; a model that is slower than this has failed. See `headersWithin`. */
const slowestTokenMs = 25

/** Longer answers are read in slices: with every digit of its numbers this many bytes take some milliseconds. */
const atOnceBytes = 128 * 1024

/** How long to wait for the usage report and the end of the stream after the finish; after that the answer is complete without them. */
const endingMs = 5_000

/** Sends one request to the upstream and pushes the parts of its answer. */
export const generate = (
  client: UpstreamClient,
  call: TextCall,
  codec: ClientCodec,
  sink: PartSink,
): TextRun => new TextAnswer(client, call, codec, sink)

/**
 * One answer on its way from the upstream's bytes to parts. The first-token timeout runs until the first event with output, then the idle
 * timeout. One malformed event is skipped when others make sense; a stream that ends without a finish is a cut. Parts parsed before a
 * failure still reach the caller. Whatever a codec throws that is no `UpstreamError` makes the answer malformed, and so does a call whose arguments
 * are nested too deeply: nothing that was read with it is passed on.
 */
class TextAnswer implements AnswerReceiver, TextRun {
  readonly #call: TextCall
  readonly #codec: ClientCodec
  readonly #sink: PartSink
  #exchange: Exchange | undefined
  /** Set for a streamed answer. */
  #events: SseReader | undefined
  #reader: AnswerReader | undefined
  /** Set for an answer in one piece. */
  #whole: WholeBody | undefined
  #bytes = 0
  #failure: UpstreamError | undefined
  /** The parts of one read; the same array each time. The first `#given` of them have been passed on. */
  readonly #parts: AnswerPart[] = []
  #given = 0
  #progress: EventProgress = 'nothing'
  #understood = 0
  #malformed = 0
  /** The nesting of the arguments of each call, by the index of the call. */
  readonly #depths = new Map<number, DepthScanner>()
  /** `done` or `failed` was called. */
  #over = false

  constructor(client: UpstreamClient, call: TextCall, codec: ClientCodec, sink: PartSink) {
    this.#call = call
    this.#codec = codec
    this.#sink = sink
    try {
      this.#exchange = client.send(requestOf(call, codec), this)
    } catch (error) {
      const failure = faultOf(error, false)
      process.nextTick(() => this.fail(failure))
    }
  }

  get skipsReasoning(): boolean {
    return this.#codec.skipsReasoning?.(this.#call) === true
  }

  pause(): void {
    this.#exchange?.pause()
  }

  resume(): void {
    this.#exchange?.resume()
  }

  stop(): void {
    if (this.#over) return
    const executed = this.#exchange?.wasSent ?? false
    this.#exchange?.abandon()
    this.fail(new UpstreamError('aborted', { executed }))
  }

  begin(headers: ReplyHeaders): void {
    // The content type decides how the answer is read, not the request: some servers ignore `stream`.
    if (!String(headers['content-type'] ?? '').includes('event-stream')) {
      this.#whole = new WholeBody(wholeTextBytes(this.#call.turn.maxOutputTokens))
      return
    }
    this.#events = new SseReader((data, name) => this.#event(data, name), eventBytes)
    try {
      this.#reader = this.#codec.reader(this.#call)
      this.#exchange!.timers.enter('firstToken', this.#call.timeouts.firstTokenMs)
    } catch (error) {
      this.#break(faultOf(error, true))
    }
  }

  bytes(chunk: Buffer): void {
    if (this.#whole) {
      this.#exchange!.timers.read(true)
      if (!this.#whole.add(chunk)) this.#break(this.#whole.tooLong)
      return
    }
    this.#progress = 'nothing'
    this.#bytes += chunk.length
    const maxBytes = streamedTextBytes(this.#call.turn.maxOutputTokens)
    if (this.#bytes > maxBytes) this.#failure ??= tooLong(maxBytes)
    else {
      try {
        this.#events!.push(chunk)
      } catch (error) {
        this.#failure ??= faultOf(error, true)
      }
    }
    this.#judgeCalls()
    this.#give()
    if (this.#over) return
    if (this.#failure || this.#reader!.closed) this.#finish()
    else this.#keepTime()
  }

  flush(): void {
    if (!this.#whole) this.#sink.flush()
  }

  end(): void {
    if (this.#over) return
    if (this.#whole) this.#endWhole(this.#whole)
    else {
      this.#read(() => this.#events!.end())
      this.#judgeCalls()
      this.#give()
      this.#finish()
    }
  }

  fail(error: UpstreamError): void {
    if (this.#over) return
    // After the finish a broken connection or a timeout is a normal end: the answer is complete.
    const isComplete = this.#reader?.finished && !this.#failure && error.fault !== 'aborted'
    if (!isComplete) this.#failure ??= error
    this.#finish()
  }

  /** Runs a step of the codec. */
  #read(step: () => void): void {
    try {
      step()
    } catch (error) {
      this.#failure ??= faultOf(error, true)
    }
  }

  /** The caller sends a call back with its result, inside of a request. */
  #judgeCalls(): void {
    for (const part of this.#parts) {
      if (part.type !== 'tool-arguments') continue
      const scanner = this.#depths.get(part.index) ?? new DepthScanner(maxNestedDepth)
      this.#depths.set(part.index, scanner)
      if (scanner.admits(part.delta)) continue
      this.#parts.length = 0
      this.#failure ??= new UpstreamError('malformed', {
        detail: 'a call whose arguments are nested too deeply',
        byModel: true,
      })
    }
  }

  /** Passes on the parts that were read. The sink may stop the call meanwhile, which passes on the rest. */
  #give(): void {
    const parts = this.#parts
    while (this.#given < parts.length) this.#sink.part(parts[this.#given++]!)
    parts.length = 0
    this.#given = 0
  }

  #finish(): void {
    if (this.#over) return
    const reader = this.#reader
    this.#read(() => {
      if (this.#failure) {
        if (reader) this.#parts.push(...reader.usageSoFar())
      } else if (this.#malformed > 0 && this.#understood === 0)
        throw new UpstreamError('malformed', { detail: 'no event of the stream is JSON' })
      else for (const part of reader!.end()) this.#parts.push(part)
    })
    this.#close(!reader?.endedEarly)
  }

  #endWhole(body: WholeBody): void {
    const bytes = body.take()
    const maxBytes = wholeTextBytes(this.#call.turn.maxOutputTokens)
    if (bytes.length > atOnceBytes) {
      readJson(bytes, maxBytes, { exact: true }).then(
        (value) => this.#complete(() => value),
        (error: unknown) => this.#complete(() => raise(error)),
      )
    } else this.#complete(() => readSmallJson(bytes, maxBytes, { exact: true }))
  }

  #complete(value: () => unknown): void {
    if (this.#over) return
    this.#read(() => {
      for (const part of this.#codec.readComplete(value(), this.#call)) this.#parts.push(part)
    })
    this.#judgeCalls()
    this.#close(true)
  }

  #break(failure: UpstreamError): void {
    this.#failure ??= failure
    this.#close(false)
  }

  /** Passes on the last parts and ends the call. An answer that was not read to its end must not go on being written. */
  #close(isRead: boolean): void {
    this.#give()
    if (this.#over) return
    this.#over = true
    if (this.#failure || !isRead) this.#exchange?.abandon()
    else this.#exchange?.release()
    if (this.#failure) this.#sink.failed(this.#failure)
    else this.#sink.done()
  }

  #keepTime(): void {
    const { timers } = this.#exchange!
    const { idleMs } = this.#call.timeouts
    if (this.#reader!.finished && timers.phase !== 'ending')
      timers.enter('ending', Math.min(endingMs, idleMs))
    else if (timers.phase === 'firstToken' && this.#progress === 'token') timers.enter('idle', idleMs)
    else timers.read(this.#progress !== 'nothing')
  }

  #event(data: string, name: string): void {
    const reader = this.#reader!
    if (reader.closed || this.#failure) return
    if (data === '[DONE]' || data.trim() === '[DONE]') {
      reader.close()
      return
    }
    const event = parse(data)
    if (!event) {
      this.#malformed += 1
      // One malformed event is tolerated. More than one means that this is not the wire's format, and text may be missing unnoticed.
      if (this.#malformed > 1)
        this.#failure = new UpstreamError('malformed', {
          detail: 'several events of the stream are not JSON',
        })
      return
    }
    this.#understood += 1
    // Line ends between JSON tokens are replaced by spaces, since an event is passed on in one line.
    const text = data.includes('\n') ? data.replaceAll('\n', ' ') : data
    const eventProgress = reader.read(event, name, this.#parts, text)
    if (eventProgress === 'token' || this.#progress === 'nothing') this.#progress = eventProgress
  }
}

/** Undefined for what is no JSON object. Throws for one that is nested too deeply, which must not pass for an event that was garbled. */
function parse(data: string): Record<string, unknown> | undefined {
  if (isDeeper(data, maxDepth)) throw tooDeep('an event that is nested too deeply', data)
  try {
    const value = readJsonSync(data, { exact: true })
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

const faultOf = (error: unknown, executed: boolean): UpstreamError =>
  error instanceof UpstreamError ? error : new UpstreamError('malformed', { executed, cause: error })

function raise(error: unknown): never {
  throw error
}

const requestOf = (call: TextCall, codec: ClientCodec) => ({
  path: codec.path,
  body: codec.body(call),
  headers: {
    accept: call.turn.stream ? 'text/event-stream' : 'application/json',
    'idempotency-key': call.attemptId,
    ...(call.traceparent !== undefined && { traceparent: call.traceparent }),
    ...codec.headers?.(call),
  },
  timeouts: call.timeouts,
  firstByteMs: headersWithin(call),
})

/**
 * Timeout for the response headers. A streamed answer has headers at once; a non-streamed one has none before its last token, so the time
 * of its longest possible answer is added. `totalMs` still bounds it.
 */
function headersWithin({ turn, timeouts }: TextCall): number {
  return turn.stream ? timeouts.firstByteMs : timeouts.firstByteMs + turn.maxOutputTokens * slowestTokenMs
}
