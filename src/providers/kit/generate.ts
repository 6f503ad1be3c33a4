import type { Part } from '#engine/turn'
import type { TextCall } from '#providers/spec'
import { type AnswerReader, AnswerStream } from './answer-stream.ts'
import { wholeTextBytes } from './bounds.ts'
import { readJson } from './json.ts'
import type { UpstreamClient } from './kit.ts'

/** The client side of a wire: how requests are written and answers read. */
export interface ClientCodec {
  /** After the base address: `/chat/completions`. */
  path: string
  /** The request. Throws `UpstreamError` for a turn that this wire cannot carry. */
  body(call: TextCall): Record<string, unknown>
  headers?(call: TextCall): Record<string, string>
  /** For a streamed answer. */
  reader(call: TextCall): AnswerReader
  /** The parts of a non-streamed answer. Throws `UpstreamError` if the body is not an answer of this wire. */
  readComplete(body: unknown, call: TextCall): Iterable<Part>
}

/** Milliseconds per token; a model that is slower than this has failed. See `headersWithin`. */
const slowestTokenMs = 25

/** Sends one request to the upstream and yields the parts of its answer. */
export async function* generate(
  client: UpstreamClient,
  call: TextCall,
  codec: ClientCodec,
): AsyncGenerator<Part, void, undefined> {
  const exchange = await client.open({
    path: codec.path,
    body: codec.body(call),
    headers: {
      accept: call.turn.stream ? 'text/event-stream' : 'application/json',
      'idempotency-key': call.attemptId,
      ...(call.traceparent !== undefined && { traceparent: call.traceparent }),
      ...codec.headers?.(call),
    },
    signal: call.signal,
    timeouts: call.timeouts,
    firstByteMs: headersWithin(call),
  })
  let isComplete = false
  try {
    // The content type decides how the answer is read, not the request: some servers ignore `stream`.
    const streamed = String(exchange.headers['content-type'] ?? '').includes('event-stream')
    const reader = codec.reader(call)
    if (streamed) {
      const answer = new AnswerStream(exchange, call, reader)
      while (!answer.over) {
        await answer.arrival()
        // No `yield*` here: every token passes, and `yield*` would await each of them three times.
        for (const part of answer.read()) yield part
      }
      yield* answer.end()
    } else
      yield* codec.readComplete(await readJson(exchange, wholeTextBytes(call.turn.maxOutputTokens)), call)
    isComplete = !reader.endedEarly
  } finally {
    // The reader stopped early, or there was a failure: the upstream must stop writing.
    if (isComplete) exchange.release()
    else exchange.abandon()
  }
}

/**
 * Timeout for the response headers. A streamed answer has headers at once; a non-streamed one has none before its last token, so the time
 * of its longest possible answer is added. `totalMs` still bounds it.
 */
function headersWithin({ turn, timeouts }: TextCall): number {
  return turn.stream ? timeouts.firstByteMs : timeouts.firstByteMs + turn.maxOutputTokens * slowestTokenMs
}
