/** Speech and transcription by ElevenLabs. */
import {
  type AudioCall,
  type AudioProvider,
  type LiveTranscriber,
  type SpeechResult,
  type TextProvider,
  UpstreamError,
} from '#core/spec'
import {
  faultIn,
  isRecord,
  listBytes,
  mediaRequest,
  pingTimeouts,
  SoundSniffer,
  soundBytes,
  type UpstreamAddress,
  UpstreamClient,
} from '#providers/kit'
import type { TranscriptionClient } from '#providers/transcriptions'
import { openScribe } from './live.ts'
import { transcribe } from './transcribe.ts'

/** The sample rates that ElevenLabs makes, in hertz. */
const rates: readonly number[] = [8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
const usualRate = 24_000

/** Speech by ElevenLabs: one text by `/text-to-speech/{voice}/stream`, several lines as one sound by `/text-to-dialogue/stream`. */
export function elevenLabsSpeech(
  address: UpstreamAddress,
): AudioProvider & AsyncDisposable & { ping: TextProvider['ping'] } {
  const client = clientOf(address)
  return {
    speak: (call) => speak(client, call),
    ping: (signal) => ping(client, signal),
    warm: () => client.warm(),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

/** Transcription by ElevenLabs' Scribe: of recordings, and of sound while it is spoken. */
export function elevenLabsTranscription(address: UpstreamAddress): TranscriptionClient & LiveTranscriber {
  const client = clientOf(address)
  return {
    transcribe: (call) => transcribe(client, call),
    open: (call, sink) => openScribe(client, call, sink),
    ping: (signal) => ping(client, signal),
    warm: () => client.warm(),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

const clientOf = (address: UpstreamAddress): UpstreamClient =>
  new UpstreamClient({ ...address, keyHeader: { name: 'xi-api-key' } })

/** ElevenLabs lists only models that speak; an answer proves the key. */
const ping = async (client: UpstreamClient, signal: AbortSignal): Promise<readonly string[] | undefined> =>
  namesIn(await client.json({ path: '/models', signal, timeouts: pingTimeouts }, listBytes))

async function speak(client: UpstreamClient, call: AudioCall): Promise<SpeechResult> {
  const { order } = call
  if (order.lines.some(({ instructions }) => instructions !== undefined))
    throw unable('This wire has no field for instructions.')
  const { path, body } = order.lines.length > 1 ? dialogueOf(call) : speechOf(call)
  const start = new SoundSniffer(order.format, order.sink)
  await client.stream(mediaRequest(call, `${path}?output_format=${formatOf(call)}`, body), {
    write: (chunk) => start.write(chunk),
    maxBytes: soundBytes,
  })
  const refusal = await start.end()
  if (refusal) throw faultIn(refusal, client.secrets)
  // The headers report credits of the account, not characters.
  return {}
}

function speechOf({ order, upstreamModel }: AudioCall) {
  const [line] = order.lines
  if (!line || order.question) throw unable('This wire speaks texts and answers no recordings.')
  return {
    path: `/text-to-speech/${encodeURIComponent(line.voice)}/stream`,
    body: {
      text: line.text,
      model_id: upstreamModel,
      ...(order.speed !== undefined && { voice_settings: { speed: order.speed } }),
    },
  }
}

const dialogueOf = ({ order, upstreamModel }: AudioCall) => ({
  path: '/text-to-dialogue/stream',
  body: {
    inputs: order.lines.map(({ text, voice }) => ({ text, voice_id: voice })),
    model_id: upstreamModel,
  },
})

function formatOf({ order }: AudioCall): string {
  const { encoding, rate = usualRate } = order.format
  if (encoding === 'mp3') return 'mp3_44100_128'
  if (encoding === 'pcm' && rates.includes(rate)) return `pcm_${rate}`
  throw unable('This wire makes mp3, and pcm at its own rates.')
}

/** The names in ElevenLabs' list of models, which is a bare array. */
function namesIn(answer: unknown): readonly string[] | undefined {
  if (!Array.isArray(answer)) return undefined
  const names = answer.flatMap((item: unknown) =>
    isRecord(item) && typeof item['model_id'] === 'string' ? [item['model_id']] : [],
  )
  return names.length === 0 ? undefined : names
}

const unable = (detail: string): UpstreamError =>
  new UpstreamError('invalid_request', { executed: false, detail })
