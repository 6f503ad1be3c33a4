/** Transcription by Deepgram, of recordings and of live sound. */
import {
  type LiveTranscriber,
  type TranscriptionCall,
  type TranscriptionResult,
  UpstreamError,
} from '#core/spec'
import type { SpokenSegment, SpokenWord, TranscriptionOrder } from '#core/turn'
import {
  checkLength,
  claimedSeconds,
  faultOfError,
  firstOf,
  isRecord,
  languageCode,
  listBytes,
  mediaRequest,
  pingTimeouts,
  rawBody,
  segmentsIn,
  segmentsOfWords,
  spanOf,
  speakerOf,
  transcriptBytes,
  type UpstreamAddress,
  UpstreamClient,
  wordsIn,
} from '#providers/kit'
import type { TranscriptionClient } from '#providers/transcriptions'
import { openDeepgram } from './live.ts'

/**
 * Deepgram's `POST /listen` (developers.deepgram.com: listen, diarization, utterances, keyterm): the file is sent as it is, everything else in the
 * address. The endpoint takes no prompt, and does not stream.
 */
export function deepgramTranscription(address: UpstreamAddress): TranscriptionClient & LiveTranscriber {
  const client = new UpstreamClient({
    ...address,
    keyHeader: { name: 'authorization', scheme: 'Token' },
  })
  return {
    transcribe: (call) => transcribe(client, call),
    open: (call, sink) => openDeepgram(client, call, sink),
    ping: async (signal) => {
      // Deepgram's list of models is the same without a key.
      await client.json({ path: '/auth/token', signal, timeouts: pingTimeouts }, listBytes)
      return undefined
    },
    warm: () => client.warm(),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

async function transcribe(client: UpstreamClient, call: TranscriptionCall): Promise<TranscriptionResult> {
  const { order } = call
  if (order.prompt !== undefined)
    throw new UpstreamError('invalid_request', {
      executed: false,
      detail: 'This wire has no field for a prompt.',
    })
  const { bytes, mediaType, seconds } = order.recording
  const request = mediaRequest(call, `/listen?${optionsOf(call)}`, rawBody(mediaType, bytes), seconds)
  const result = await transcriptIn(
    await client.json(request, transcriptBytes(seconds)),
    call,
    client.secrets,
  )
  if (result.text !== '') order.onText?.(result.text)
  return result
}

function optionsOf({ order, upstreamModel }: TranscriptionCall): URLSearchParams {
  const { language, diarize, timestamps, keywords = [] } = order
  const options = new URLSearchParams({ model: upstreamModel, smart_format: 'true' })
  // Without either field Deepgram takes everything for English. Persian is not among the languages that it detects (changelog of 2025-11-07).
  if (language !== undefined) options.set('language', language)
  else options.set('detect_language', 'true')
  if (diarize) options.set('diarize', 'true')
  if (diarize || timestamps !== 'none') options.set('utterances', 'true')
  for (const word of keywords) options.append('keyterm', word)
  return options
}

/** The transcript of an answer. Throws `UpstreamError`, always with `executed: true`: the upstream has done the work. */
async function transcriptIn(
  answer: unknown,
  { order, onUpstreamId }: TranscriptionCall,
  secrets: readonly string[],
): Promise<TranscriptionResult> {
  if (!isRecord(answer)) throw malformed('an answer that is no object')
  if (answer['error'] != null || answer['err_code'] != null)
    throw faultOfError(answer['error'] ?? answer, secrets)
  const { metadata, results } = answer
  const channel = isRecord(results) ? firstOf(results['channels']) : undefined
  const best = firstOf(channel?.['alternatives'])
  const text = best?.['transcript']
  if (!isRecord(results) || typeof text !== 'string') throw malformed('an answer without a transcript')
  checkLength(text.length, order)
  const about = isRecord(metadata) ? metadata : {}
  if (typeof about['request_id'] === 'string') onUpstreamId?.(about['request_id'].slice(0, 100))
  const language = languageCode(channel?.['detected_language'])
  const seconds = claimedSeconds(about['duration'])
  return {
    text: text.trim(),
    ...(language !== undefined && { language }),
    ...(await timesIn(results['utterances'], await punctuatedWords(best?.['words'], order), order)),
    ...(seconds !== undefined && { usage: { seconds } }),
  }
}

async function timesIn(
  utterances: unknown,
  words: SpokenWord[],
  { timestamps, diarize, recording }: TranscriptionOrder,
): Promise<Pick<TranscriptionResult, 'segments' | 'words'>> {
  const spokenSegments = await segmentsIn(utterances, (item): SpokenSegment | undefined => {
    const span = spanOf(item, recording.seconds)
    const text = item['transcript']
    return span && typeof text === 'string'
      ? { ...span, text: text.trim(), ...speakerOf(item['speaker']) }
      : undefined
  })
  const segments = spokenSegments.length > 0 ? spokenSegments : segmentsOfWords(words)
  return {
    ...((timestamps !== 'none' || diarize) && segments.length > 0 && { segments }),
    ...(timestamps === 'word' && words.length > 0 && { words }),
  }
}

/** Words as they stand in the transcript, with their marks. */
const punctuatedWords = (list: unknown, { recording }: TranscriptionOrder): Promise<SpokenWord[]> =>
  wordsIn(list, recording.seconds, 'punctuated_word')

const malformed = (detail: string): UpstreamError => new UpstreamError('malformed', { detail })
