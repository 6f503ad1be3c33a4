/** The client of any upstream that speaks OpenAI's `/audio/speech`. */
import {
  type AudioCall,
  type AudioProvider,
  type SpeechResult,
  type TextProvider,
  UpstreamError,
} from '#core/spec'
import {
  faultIn,
  headerOf,
  listModels,
  SoundSniffer,
  soundBytes,
  type UpstreamAddress,
  UpstreamClient,
} from '#providers/kit'

/** A long text may take a minute before its first sound. */
const maxComposingMs = 60_000
/** OpenRouter's name of a generation, by which its cost is looked up. Others do not send it. */
const idHeader = 'x-generation-id'

/**
 * Any upstream that speaks OpenAI's `/audio/speech`: OpenAI, OpenRouter, Speaches, Kokoro-FastAPI, LocalAI. It speaks one line per call, and no
 * dialogues.
 */
export function speechProvider(
  address: UpstreamAddress,
): AudioProvider & AsyncDisposable & { ping: TextProvider['ping'] } {
  const client = new UpstreamClient(address)
  return {
    speak: (call) => speak(client, call),
    ping: (signal) => listModels(client, signal),
    warm: () => client.warm(),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

async function speak(client: UpstreamClient, call: AudioCall): Promise<SpeechResult> {
  const { order, signal, timeouts } = call
  const start = new SoundSniffer(order.format, order.sink)
  await client.stream(
    {
      path: '/audio/speech',
      body: bodyOf(call),
      headers: {
        'idempotency-key': call.attemptId,
        ...(call.traceparent !== undefined && { traceparent: call.traceparent }),
      },
      signal,
      timeouts,
      firstByteMs: Math.min(timeouts.totalMs, timeouts.firstByteMs + maxComposingMs),
    },
    {
      begin: (headers) => {
        const id = headerOf(headers, idHeader)
        if (id) call.onUpstreamId?.(id)
        start.begin(headers)
      },
      write: (chunk) => start.write(chunk),
      maxBytes: soundBytes,
    },
  )
  const refusal = await start.end()
  if (refusal) throw faultIn(refusal, client.secrets)
  return {}
}

function bodyOf({ order, upstreamModel }: AudioCall): Record<string, unknown> {
  const { lines, question, format, speed } = order
  const [line, another] = lines
  if (!line || another || question)
    throw new UpstreamError('invalid_request', {
      executed: false,
      detail: 'This wire speaks one text with one voice.',
    })
  return {
    model: upstreamModel,
    input: line.text,
    voice: line.voice,
    response_format: format.encoding,
    ...(line.instructions !== undefined && { instructions: line.instructions }),
    ...(speed !== undefined && { speed }),
  }
}
