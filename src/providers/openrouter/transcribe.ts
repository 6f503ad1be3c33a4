import { type TranscriptionCall, type TranscriptionResult, UpstreamError } from '#core/spec'
import {
  base64Body,
  headerOf,
  listBytes,
  mediaRequest,
  modelNames,
  pingTimeouts,
  readJson,
  type StreamedBody,
  transcriptBytes,
  type UpstreamAddress,
  UpstreamClient,
} from '#providers/kit'
import { fileName, type TranscriptionClient, transcriptIn } from '#providers/transcriptions'

/** The header with the id by which the cost of a call is looked up. */
const idHeader = 'x-generation-id'

/**
 * OpenRouter's `POST /audio/transcriptions` (openrouter.ai/docs/guides/overview/multimodal/stt; @openrouter/sdk 1.3.19, STTRequest): JSON with the
 * recording in Base64, which is made as it is sent. The endpoint has no fields for a prompt, for keywords or for speakers, and does not stream.
 */
export function openRouterTranscription(address: UpstreamAddress): TranscriptionClient {
  const client = new UpstreamClient(address)
  return {
    transcribe: (call) => transcribe(client, call),
    ping: async (signal) =>
      modelNames(await client.json({ path: '/models', signal, timeouts: pingTimeouts }, listBytes)),
    warm: () => client.warm(),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

async function transcribe(client: UpstreamClient, call: TranscriptionCall): Promise<TranscriptionResult> {
  const { order } = call
  if (order.diarize || order.prompt !== undefined || order.keywords)
    throw new UpstreamError('invalid_request', {
      executed: false,
      detail: 'This wire has no fields for speakers, a prompt or keywords.',
    })
  const bytes = transcriptBytes(order.recording.seconds)
  const request = mediaRequest(call, '/audio/transcriptions', bodyOf(call), order.recording.seconds)
  const chunks: Uint8Array[] = []
  await client.stream(request, {
    begin: (headers) => {
      const id = headerOf(headers, idHeader)
      if (id) call.onUpstreamId?.(id)
    },
    write: (chunk) => {
      chunks.push(chunk)
    },
    maxBytes: bytes,
  })
  const transcript = await transcriptIn(await readJson(Buffer.concat(chunks), bytes), order, client.secrets)
  if (transcript.text !== '') order.onText?.(transcript.text)
  return transcript
}

function bodyOf({ order, upstreamModel }: TranscriptionCall): StreamedBody {
  const { recording, language, temperature, timestamps } = order
  const fields = {
    model: upstreamModel,
    ...(language !== undefined && { language }),
    ...(temperature !== undefined && { temperature }),
    ...(timestamps !== 'none' && {
      response_format: 'verbose_json',
      timestamp_granularities: timestamps === 'word' ? ['segment', 'word'] : ['segment'],
    }),
  }
  // OpenRouter's names of formats are the extensions: wav, mp3, flac, m4a, ogg, webm, aac.
  const format = fileName(recording.name).split('.')[1] ?? 'wav'
  return base64Body(
    '{"input_audio":{"data":"',
    recording.bytes,
    `","format":${JSON.stringify(format)}},${JSON.stringify(fields).slice(1)}`,
  )
}
