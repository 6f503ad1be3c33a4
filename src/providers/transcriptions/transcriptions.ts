/** The client of any upstream that speaks OpenAI's `/audio/transcriptions`, whisper.cpp's server included. */
import {
  type LiveTranscriber,
  type TextProvider,
  type TranscriptionCall,
  type TranscriptionProvider,
  type TranscriptionResult,
  UpstreamError,
} from '#core/spec'
import {
  listBytes,
  mediaRequest,
  modelNames,
  pingTimeouts,
  transcriptBytes,
  type UpstreamAddress,
  UpstreamClient,
} from '#providers/kit'
import { transcriptIn } from './answer.ts'
import { heardInEvents } from './events.ts'
import { openTranscriptionSession } from './live.ts'
import { type Endpoint, formOf } from './request.ts'

export type TranscriptionClient = TranscriptionProvider & AsyncDisposable & { ping: TextProvider['ping'] }

export { transcriptIn } from './answer.ts'
export { fileName } from './request.ts'

/** The endpoint of whisper.cpp's own server (ggml-org/whisper.cpp, examples/server). */
const whisperCppEndpoint = '/inference'

/**
 * Any upstream that speaks OpenAI's `/audio/transcriptions` and, for models that translate, `/audio/translations`: OpenAI, Groq, Speaches, LocalAI.
 * A base address that ends in `/inference` is whisper.cpp's server, which takes the same form there and lists no models.
 */
export function transcriptionsProvider(address: UpstreamAddress): TranscriptionClient & LiveTranscriber {
  const endpoint: Endpoint = address.baseUrl.endsWith(whisperCppEndpoint) ? 'whisper.cpp' : 'openai'
  const baseUrl =
    endpoint === 'openai' ? address.baseUrl : address.baseUrl.slice(0, -whisperCppEndpoint.length)
  const client = new UpstreamClient({ ...address, baseUrl })
  return {
    transcribe: (call) => transcribe(client, call, endpoint),
    open: async (call, sink) => {
      if (endpoint === 'openai') return openTranscriptionSession(client, call, sink)
      throw new UpstreamError('not_found', { executed: false, detail: 'This server hears recordings only.' })
    },
    ping: async (signal) => {
      const httpRequest = { signal, timeouts: pingTimeouts }
      if (endpoint === 'openai')
        return modelNames(await client.json({ path: '/models', ...httpRequest }, listBytes))
      // This page for people proves that the server is there; there is nothing else to request.
      await client.bytes({ path: '/', ...httpRequest }, listBytes)
      return undefined
    },
    warm: () => client.warm(),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

async function transcribe(
  client: UpstreamClient,
  call: TranscriptionCall,
  endpoint: Endpoint,
): Promise<TranscriptionResult> {
  const { order } = call
  const openAiPath = order.translate ? '/audio/translations' : '/audio/transcriptions'
  const path = endpoint === 'openai' ? openAiPath : whisperCppEndpoint
  const httpRequest = mediaRequest(call, path, formOf(call, endpoint), order.recording.seconds)
  if (order.onText) return heardInEvents(client, httpRequest, order)
  return await transcriptIn(
    await client.json(httpRequest, transcriptBytes(order.recording.seconds)),
    order,
    client.secrets,
  )
}
