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
  /** For an answer that comes as a stream. */
  reader(call: TextCall): AnswerReader
  /** The parts of an answer that came whole. Throws `UpstreamError` for what is none. */
  readComplete(body: unknown, call: TextCall): Iterable<Part>
}

/** A model writes slower than this only when something is wrong; see `headersWithin`. Milliseconds per token. */
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
        // Every token passes here, and `yield*` would await each of them three times.
        for (const part of answer.read()) yield part
      }
      yield* answer.end()
    } else
      yield* codec.readComplete(await readJson(exchange, wholeTextBytes(call.turn.maxOutputTokens)), call)
    isComplete = !reader.endedEarly
  } finally {
    // A reader that left early, or a failure: the upstream must stop writing now.
    if (isComplete) exchange.release()
    else exchange.abandon()
  }
}

/**
 * Time to the response headers. A streamed answer has headers at once; one that is not streamed has none before its last
 * token is written, so it is given the time of its longest answer in addition. Silence is still bounded, by that and `totalMs`.
 */
function headersWithin({ turn, timeouts }: TextCall): number {
  return turn.stream ? timeouts.firstByteMs : timeouts.firstByteMs + turn.maxOutputTokens * slowestTokenMs
}
