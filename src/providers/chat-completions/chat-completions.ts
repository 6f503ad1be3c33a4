import type { Part } from '#engine/inference'
import { readJson, type UpstreamAddress, UpstreamClient } from '#providers/kit'
import type { TextCall, TextProvider } from '#providers/spec'
import { readAnswer } from './answer.ts'
import { requestBody } from './request.ts'
import { readStream } from './stream.ts'

export { forwardedFields } from './request.ts'

/** A model writes slower than this only when something is wrong; see `headersWithin`. Milliseconds per token. */
const slowestTokenMs = 25
const pingTimeouts = {
  connectMs: 5_000,
  firstByteMs: 5_000,
  firstTokenMs: 5_000,
  idleMs: 5_000,
  totalMs: 5_000,
}

/** Any upstream that speaks OpenAI's chat completions: its makers' own, OpenRouter, vLLM, llama.cpp, Ollama, LM Studio, Gemini's door. */
export function chatCompletionsProvider(
  address: UpstreamAddress & { id: string },
): TextProvider & AsyncDisposable {
  const client = new UpstreamClient(address)
  return {
    wires: ['chat'],
    generate: (call) => generate(client, call),
    ping: async (signal) => {
      await client.json({ path: '/models', signal, timeouts: pingTimeouts })
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

async function* generate(client: UpstreamClient, call: TextCall): AsyncGenerator<Part, void, undefined> {
  const exchange = await client.open({
    path: '/chat/completions',
    body: requestBody(client.host, call),
    headers: {
      accept: call.turn.stream ? 'text/event-stream' : 'application/json',
      'idempotency-key': call.attemptId,
      ...(call.traceparent !== undefined && { traceparent: call.traceparent }),
    },
    signal: call.signal,
    timeouts: call.timeouts,
    firstByteMs: headersWithin(call),
  })
  let whole = false
  try {
    // What came is told by its type, not by what was asked: some servers ignore `stream`.
    const streamed = String(exchange.headers['content-type'] ?? '').includes('event-stream')
    if (streamed) yield* readStream(exchange, call.timeouts, client.secrets)
    else yield* readAnswer(await readJson(exchange), client.secrets)
    whole = true
  } finally {
    // A reader that left early, or a failure: the upstream must stop writing now.
    if (whole) exchange.release()
    else exchange.abandon()
  }
}

/**
 * Time to the response headers. A streamed answer has headers at once; one that is not streamed has none before its last
 * token is written, so it is given the time of its longest answer on top. Silence is still bounded, by that and `totalMs`.
 */
function headersWithin({ turn, timeouts }: TextCall): number {
  return turn.stream ? timeouts.firstByteMs : timeouts.firstByteMs + turn.maxOutputTokens * slowestTokenMs
}
