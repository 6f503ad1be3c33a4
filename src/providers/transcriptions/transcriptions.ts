import {
  type LiveTranscriber,
  type TextProvider,
  type Transcribed,
  type TranscriptionCall,
  type TranscriptionProvider,
  UpstreamError,
} from '#core/spec'
import {
  listBytes,
  mediaAsk,
  modelNames,
  pingTimeouts,
  transcriptBytes,
  type UpstreamAddress,
  UpstreamClient,
} from '#providers/kit'
import { heardIn } from './answer.ts'
import { heardInEvents } from './events.ts'
import { openTranscriptionSession } from './live.ts'
import { type Endpoint, formOf } from './request.ts'

export type TranscriptionRoom = TranscriptionProvider & AsyncDisposable & { ping: TextProvider['ping'] }

export { heardIn } from './answer.ts'
export { fileName } from './request.ts'

/** The endpoint of whisper.cpp's own server (ggml-org/whisper.cpp, examples/server). */
const ownEndpoint = '/inference'

/**
 * Any upstream that speaks OpenAI's `/audio/transcriptions`: OpenAI, Groq, Speaches, LocalAI. A base address that ends in `/inference` is
 * whisper.cpp's server, which takes the same form there and lists no models.
 */
export function transcriptionsProvider(address: UpstreamAddress): TranscriptionRoom & LiveTranscriber {
  const endpoint: Endpoint = address.baseUrl.endsWith(ownEndpoint) ? 'whisper.cpp' : 'openai'
  const baseUrl = endpoint === 'openai' ? address.baseUrl : address.baseUrl.slice(0, -ownEndpoint.length)
  const client = new UpstreamClient({ ...address, baseUrl })
  return {
    transcribe: (call) => transcribe(client, call, endpoint),
    open: async (call, sink) => {
      if (endpoint === 'openai') return openTranscriptionSession(client, call, sink)
      throw new UpstreamError('not_found', { executed: false, detail: 'This server hears recordings only.' })
    },
    ping: async (signal) => {
      const ask = { signal, timeouts: pingTimeouts }
      if (endpoint === 'openai') return modelNames(await client.json({ path: '/models', ...ask }, listBytes))
      // This page for people proves that the server is there; there is nothing else to request.
      await client.bytes({ path: '/', ...ask }, listBytes)
      return undefined
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

async function transcribe(
  client: UpstreamClient,
  call: TranscriptionCall,
  endpoint: Endpoint,
): Promise<Transcribed> {
  const { order } = call
  const path = endpoint === 'openai' ? '/audio/transcriptions' : ownEndpoint
  const ask = mediaAsk(call, path, formOf(call, endpoint), order.recording.seconds)
  if (order.onText) return heardInEvents(client, ask, order)
  return await heardIn(
    await client.json(ask, transcriptBytes(order.recording.seconds)),
    order,
    client.secrets,
  )
}
