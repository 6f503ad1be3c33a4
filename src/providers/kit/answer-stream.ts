import type { Part } from '#engine/turn'
import { readJsonAtOnce } from '#platform/json'
import { type TextCall, type Timeouts, UpstreamError } from '#providers/spec'
import { eventBytes, streamedTextBytes, tooLong } from './bounds.ts'
import type { Exchange } from './exchange.ts'
import { isRecord } from './json.ts'
import { SseReader } from './sse.ts'

/**
 * What an event means for the timeouts. `token`: output, which ends the wait for the first token. `life`: a sign of life without output,
 * which resets the idle timeout. `nothing`: an upstream that sends only such events counts as idle.
 */
export type EventProgress = 'token' | 'life' | 'nothing'

/** The wire-specific reader of one streamed answer; one instance for each answer. */
export interface AnswerReader {
  /** True once the finish reason has arrived; later events may be missing. */
  readonly finished: boolean
  /** True once the wire's last event has arrived: nothing more is read. */
  readonly closed: boolean
  /** True if this side ended the answer (a stop sequence) while the upstream is still writing. */
  readonly endedEarly?: boolean
  /**
   * Reads one event and adds its parts to `parts`; `text` is the JSON that it was read from. Throws `UpstreamError` for a failure
   * that the event reports.
   */
  read(event: Record<string, unknown>, name: string, parts: Part[], text: string): EventProgress
  /** `[DONE]` came. */
  close(): void
  /** The final parts. Throws a `cut` fault if there was no finish. */
  end(): Iterable<Part>
  /** The usage reported so far, for an answer that failed. */
  usageSoFar(): Iterable<Part>
}

/** How long to wait for the usage report and the end of the stream after the finish; after that the answer is complete without them. */
const endingMs = 5_000

/**
 * Turns the events of a streamed answer into parts. The first-token timeout runs until the first event with output, then the idle timeout.
 * One malformed event is skipped when others make sense; a stream that ends without a finish is a cut. Parts parsed before a failure still
 * reach the caller.
 */
export class AnswerStream {
  /** True once everything is read; `end` yields the remaining parts. */
  over = false
  readonly #exchange: Exchange
  readonly #timeouts: Timeouts
  readonly #reader: AnswerReader
  readonly #events = new SseReader((data, name) => this.#event(data, name), eventBytes)
  readonly #maxBytes: number
  #bytes = 0
  #failure: UpstreamError | undefined
  #parts: Part[] = []
  #progress: EventProgress = 'nothing'
  #understood = 0
  #malformed = 0

  constructor(
    exchange: Exchange,
    { timeouts, turn }: Pick<TextCall, 'timeouts' | 'turn'>,
    reader: AnswerReader,
  ) {
    this.#maxBytes = streamedTextBytes(turn.maxOutputTokens)
    this.#exchange = exchange
    this.#timeouts = timeouts
    this.#reader = reader
    exchange.timers.enter('firstToken', timeouts.firstTokenMs)
  }

  /** Waits until bytes arrive, if none are buffered. */
  arrival(): Promise<void> | undefined {
    return this.#exchange.arrival(this.#progress !== 'nothing')
  }

  /** The parts of what has arrived. */
  read(): readonly Part[] {
    this.#progress = 'nothing'
    this.#parts = []
    let bytes: Buffer | undefined
    try {
      bytes = this.#exchange.take()
    } catch (error) {
      this.#failure = this.#harmOf(error)
    }
    this.#bytes += bytes?.length ?? 0
    if (this.#bytes > this.#maxBytes) this.#failure ??= this.#harmOf(tooLong(this.#maxBytes))
    if (bytes && this.#bytes <= this.#maxBytes) this.#events.push(bytes)
    else if (!this.#failure) this.#events.end()
    this.over = !bytes || this.#bytes > this.#maxBytes || this.#reader.closed || this.#failure !== undefined
    this.#keepTime()
    return this.#parts
  }

  /** The final parts. Throws the failure, if there was one. */
  *end(): Generator<Part, void, undefined> {
    if (this.#failure) {
      yield* this.#reader.usageSoFar()
      throw this.#failure
    }
    if (this.#malformed > 0 && this.#understood === 0)
      throw new UpstreamError('malformed', { detail: 'no event of the stream is JSON' })
    yield* this.#reader.end()
  }

  #keepTime(): void {
    const { timers } = this.#exchange
    if (timers.phase === 'firstToken' && this.#progress === 'token')
      timers.enter('idle', this.#timeouts.idleMs)
    if (this.#reader.finished && timers.phase !== 'ending')
      timers.enter('ending', Math.min(endingMs, this.#timeouts.idleMs))
  }

  /** After the finish, a broken connection or a timeout is a normal end: the answer is complete. */
  #harmOf(error: unknown): UpstreamError | undefined {
    if (!(error instanceof UpstreamError)) throw error
    return error.fault === 'aborted' || !this.#reader.finished ? error : undefined
  }

  #event(data: string, name: string): void {
    if (this.#reader.closed || this.#failure) return
    if (data === '[DONE]' || data.trim() === '[DONE]') {
      this.#reader.close()
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
    try {
      // Line ends between JSON tokens are replaced by spaces, since an event is passed on in one line.
      const worth = this.#reader.read(event, name, this.#parts, data.replaceAll('\n', ' '))
      if (worth === 'token' || this.#progress === 'nothing') this.#progress = worth
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      this.#failure = error
    }
  }
}

function parse(data: string): Record<string, unknown> | undefined {
  try {
    const value = readJsonAtOnce(data)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
