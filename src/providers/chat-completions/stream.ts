import type { Part } from '#engine/inference'
import { type Exchange, isRecord, SseReader } from '#providers/kit'
import { type Timeouts, UpstreamError } from '#providers/spec'
import { ChunkReader } from './chunks.ts'

/** How long the usage report and the end may follow the finish; past it the answer stands as it is. */
const endingMs = 5_000

/**
 * The parts of a streamed answer. The clock of the first token runs until the first text, reasoning or tool part, then that of
 * silence. One malformed chunk is skipped when others make sense; a stream that ends without a finish is a cut.
 */
export async function* readStream(
  exchange: Exchange,
  timeouts: Timeouts,
  secrets: readonly string[],
): AsyncGenerator<Part, void, undefined> {
  const answer = new StreamedAnswer(secrets)
  exchange.patience.enter('firstToken', timeouts.firstTokenMs)
  let moved = false
  while (!answer.done) {
    let bytes: Buffer | undefined
    try {
      bytes = await exchange.read(moved)
    } catch (error) {
      answer.broke(error)
    }
    if (bytes) answer.push(bytes)
    else if (!answer.failure) answer.end()
    const parts = answer.take()
    moved = parts.length > 0
    if (exchange.patience.phase === 'firstToken' && parts.some(isToken))
      exchange.patience.enter('idle', timeouts.idleMs)
    if (answer.finished && exchange.patience.phase !== 'ending') {
      exchange.patience.enter('ending', Math.min(endingMs, timeouts.idleMs))
    }
    // Every token passes here, and `yield*` would await each of them three times.
    for (const part of parts) yield part
    if (answer.failure) {
      yield* answer.counted()
      throw answer.failure
    }
    if (!bytes) break
  }
  yield* answer.conclude()
}

function isToken({ type }: Part): boolean {
  return (
    type === 'text' ||
    type === 'reasoning' ||
    type === 'refusal' ||
    type === 'tool-call' ||
    type === 'tool-arguments'
  )
}

/** Events in, parts out; keeps what was parsed before a failure, so that it still reaches the caller. */
class StreamedAnswer {
  done = false
  failure: UpstreamError | undefined
  private readonly reader: ChunkReader
  private readonly events = new SseReader((data, event) => this.event(data, event))
  private parts: Part[] = []
  private understood = 0
  private malformed = 0

  constructor(secrets: readonly string[]) {
    this.reader = new ChunkReader(secrets)
  }

  get finished(): boolean {
    return this.reader.finished
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
    if (error.fault === 'aborted' || !this.finished) this.failure = error
  }

  take(): Part[] {
    const { parts } = this
    this.parts = []
    return parts
  }

  /** The usage that was reported so far. */
  counted(): Generator<Part, void, undefined> {
    return this.reader.counted()
  }

  *conclude(): Generator<Part, void, undefined> {
    if (this.malformed > 0 && this.understood === 0)
      throw new UpstreamError('malformed', { detail: 'no chunk of the stream is JSON' })
    yield* this.reader.end(this.done)
  }

  private event(data: string, event: string): void {
    if (this.done || this.failure) return
    if (data === '[DONE]' || data.trim() === '[DONE]') {
      this.done = true
      return
    }
    const chunk = parse(data)
    if (!chunk) {
      this.malformed += 1
      // One torn chunk is an accident; more than that is not this wire, and text may be missing without a trace.
      if (this.malformed > 1)
        this.failure = new UpstreamError('malformed', { detail: 'several chunks of the stream are not JSON' })
      return
    }
    this.understood += 1
    try {
      // Some gateways name the event instead of wrapping the object.
      const inner = event === 'error' && chunk['error'] === undefined ? { error: chunk } : chunk
      for (const part of this.reader.read(inner)) this.parts.push(part)
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
