import type { Part } from '#engine/inference'
import { type Timeouts, UpstreamError } from '#providers/spec'
import type { Exchange } from './exchange.ts'
import { isRecord } from './json.ts'
import { SseReader } from './sse.ts'

/**
 * What an event is worth to whoever waits for it. `token`: the model writes, which ends the wait for the first token.
 * `life`: the upstream works, which is no token but no silence either. `nothing`: an upstream that only says this is silent.
 */
export type Worth = 'token' | 'life' | 'nothing'

/** What a wire makes of the events of one streamed answer; one for each answer. */
export interface AnswerReader {
  /** The finish came: what is still to come may be missing without harm. */
  readonly finished: boolean
  /** The upstream itself has closed the answer: nothing more is read. */
  readonly closed: boolean
  /** It was closed on our side, and the upstream goes on writing. */
  readonly leftOff?: boolean
  /** Reads one event and adds its parts to `parts`. Throws `UpstreamError` for a failure that the event tells. */
  read(event: Record<string, unknown>, name: string, parts: Part[]): Worth
  /** `[DONE]` came. */
  close(): void
  /** What is told at the end of the stream. Throws a cut when there was no finish. */
  end(): Iterable<Part>
  /** What was counted so far of an answer that failed. */
  counted(): Iterable<Part>
}

/** How long the usage report and the end may follow the finish; past it the answer stands as it is. */
const endingMs = 5_000

/**
 * The parts of a streamed answer. The clock of the first token runs until the first event that is worth a token, then that of
 * silence. One malformed event is skipped when others make sense; a stream that ends without a finish is a cut.
 */
export async function* readAnswerStream(
  exchange: Exchange,
  timeouts: Timeouts,
  reader: AnswerReader,
): AsyncGenerator<Part, void, undefined> {
  const answer = new StreamedAnswer(reader)
  exchange.patience.enter('firstToken', timeouts.firstTokenMs)
  let moved = false
  while (!reader.closed) {
    let bytes: Buffer | undefined
    try {
      bytes = await exchange.read(moved)
    } catch (error) {
      answer.broke(error)
    }
    if (bytes) answer.push(bytes)
    else if (!answer.failure) answer.end()
    const { parts, worth } = answer.take()
    moved = worth !== 'nothing'
    if (exchange.patience.phase === 'firstToken' && worth === 'token')
      exchange.patience.enter('idle', timeouts.idleMs)
    if (reader.finished && exchange.patience.phase !== 'ending') {
      exchange.patience.enter('ending', Math.min(endingMs, timeouts.idleMs))
    }
    // Every token passes here, and `yield*` would await each of them three times.
    for (const part of parts) yield part
    if (answer.failure) {
      yield* reader.counted()
      throw answer.failure
    }
    if (!bytes) break
  }
  answer.requireSense()
  yield* reader.end()
}

/** Events in, parts out; keeps what was parsed before a failure, so that it still reaches the caller. */
class StreamedAnswer {
  failure: UpstreamError | undefined
  private readonly reader: AnswerReader
  private readonly events = new SseReader((data, name) => this.event(data, name))
  private parts: Part[] = []
  private worth: Worth = 'nothing'
  private understood = 0
  private malformed = 0

  constructor(reader: AnswerReader) {
    this.reader = reader
  }

  push(bytes: Buffer): void {
    this.events.push(bytes)
  }

  end(): void {
    this.events.end()
  }

  /** After the finish a cut or a silence is a normal end: the answer is whole. Before it, what was counted is still told. */
  broke(error: unknown): void {
    if (!(error instanceof UpstreamError)) throw error
    if (error.fault === 'aborted' || !this.reader.finished) this.failure = error
  }

  /** The parts since the last take, and the most that one of their events was worth. */
  take(): { parts: Part[]; worth: Worth } {
    const { parts, worth } = this
    this.parts = []
    this.worth = 'nothing'
    return { parts, worth }
  }

  requireSense(): void {
    if (this.malformed > 0 && this.understood === 0)
      throw new UpstreamError('malformed', { detail: 'no event of the stream is JSON' })
  }

  private event(data: string, name: string): void {
    if (this.reader.closed || this.failure) return
    if (data === '[DONE]' || data.trim() === '[DONE]') {
      this.reader.close()
      return
    }
    const event = parse(data)
    if (!event) {
      this.malformed += 1
      // One torn event is an accident; more than that is not this wire, and text may be missing without a trace.
      if (this.malformed > 1)
        this.failure = new UpstreamError('malformed', { detail: 'several events of the stream are not JSON' })
      return
    }
    this.understood += 1
    try {
      const worth = this.reader.read(event, name, this.parts)
      if (worth === 'token' || this.worth === 'nothing') this.worth = worth
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      this.failure = error
    }
  }
}

function parse(data: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(data)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
