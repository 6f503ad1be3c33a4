import { encodeBase64, sniff } from '#core/media'
import { type AudioCall, type SpeechResult, UpstreamError } from '#core/spec'
import { decodeBase64InSlices } from '#platform/bytes'
import {
  faultIn,
  isRecord,
  mediaRequest,
  mediaTokens,
  SoundSniffer,
  type UpstreamClient,
  wholeSoundBytes,
} from '#providers/kit'
import { choiceOf, malformed } from './choice.ts'
import { SpeechEvents } from './events.ts'

/** The format of the samples of a streamed answer, which does not name it. */
const streamedFormat = { encoding: 'pcm', rate: 24_000, channels: 1 } as const
/** The most bytes of a page that came in place of a stream. */
const maxPageBytes = 64 * 1024
/** The names of the formats of recordings. */
const formats = new Map([
  ['audio/wav', 'wav'],
  ['audio/mpeg', 'mp3'],
])

/**
 * A spoken answer to a recording. Samples come as a stream, other formats in one piece: OpenAI streams `pcm16` only, and OpenRouter answers
 * with sound by streams only (openrouter.ai/docs/guides/overview/multimodal/audio), so its models list `pcm`.
 */
export async function answer(client: UpstreamClient, call: AudioCall): Promise<SpeechResult> {
  const body = bodyOf(call)
  const request = mediaRequest(call, '/chat/completions', body)
  return body.stream ? streamed(client, call, request) : whole(client, call, request)
}

async function streamed(
  client: UpstreamClient,
  { order }: AudioCall,
  request: ReturnType<typeof mediaRequest>,
): Promise<SpeechResult> {
  const start = new SoundSniffer(streamedFormat, order.sink)
  const events = new SpeechEvents(start, client.secrets)
  let isStream = false
  let page = Buffer.alloc(0)
  await client.stream(request, {
    begin: (headers) => {
      isStream = String(headers['content-type'] ?? '').includes('event-stream')
    },
    write: async (chunk) => {
      if (isStream) await events.write(chunk)
      else if (page.length < maxPageBytes) page = Buffer.concat([page, chunk])
    },
    maxBytes: wholeSoundBytes,
  })
  if (!isStream) throw faultIn(page.toString('utf8'), client.secrets)
  const spoken = await events.end()
  const refusal = await start.end()
  if (refusal !== undefined) throw faultIn(refusal, client.secrets)
  return spoken
}

async function whole(
  client: UpstreamClient,
  { order }: AudioCall,
  request: ReturnType<typeof mediaRequest>,
): Promise<SpeechResult> {
  const answered = await client.json(request, wholeSoundBytes)
  if (!isRecord(answered)) throw malformed('an answer that is no object')
  const audio = choiceOf(answered, client.secrets)?.message['audio']
  if (!isRecord(audio) || typeof audio['data'] !== 'string') throw malformed('an answer without sound')
  const bytes = await decodeBase64InSlices(audio['data'])
  if (!bytes || bytes.length === 0) throw malformed('sound that is not Base64')
  const start = new SoundSniffer(order.format, order.sink)
  await start.write(bytes)
  const refusal = await start.end()
  if (refusal !== undefined) throw faultIn(refusal, client.secrets)
  const { transcript } = audio
  const usage = mediaTokens(answered['usage'])
  return {
    ...(typeof transcript === 'string' && transcript !== '' && { transcript }),
    ...(usage && { usage }),
  }
}

function bodyOf({ order, upstreamModel }: AudioCall) {
  const { lines, question, format, maxOutputTokens } = order
  const [line, another] = lines
  const data = question?.recording.data
  if (!line || another || !data) throw unable('This wire answers recordings and speaks no texts.')
  const recorded = formats.get(sniff(data) ?? '')
  if (recorded === undefined) throw unable('This wire takes recordings as WAV and mp3.')
  const isStreamed = format.encoding === 'pcm'
  const { instructions } = line
  const content = [
    ...(question?.text === undefined ? [] : [{ type: 'text', text: question.text }]),
    { type: 'input_audio', input_audio: { data: encodeBase64(data), format: recorded } },
  ]
  return {
    model: upstreamModel,
    modalities: ['text', 'audio'],
    audio: { voice: line.voice, format: isStreamed ? 'pcm16' : format.encoding },
    messages: [
      ...(instructions === undefined ? [] : [{ role: 'system', content: instructions }]),
      { role: 'user', content },
    ],
    ...(maxOutputTokens !== undefined && { max_completion_tokens: maxOutputTokens }),
    stream: isStreamed,
    ...(isStreamed && { stream_options: { include_usage: true } }),
  }
}

const unable = (detail: string): UpstreamError =>
  new UpstreamError('invalid_request', { executed: false, detail })
