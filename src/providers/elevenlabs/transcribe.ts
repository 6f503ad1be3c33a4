import { type TranscriptionCall, type TranscriptionResult, UpstreamError } from '#core/spec'
import type { TranscriptionOrder } from '#core/turn'
import {
  checkLength,
  claimedSeconds,
  Form,
  faultOfError,
  isRecord,
  languageCode,
  mediaRequest,
  segmentsOfWords,
  transcriptBytes,
  type UpstreamClient,
  wordsIn,
} from '#providers/kit'
import { fileName } from '#providers/transcriptions'

/** Scribe's `POST /speech-to-text` (elevenlabs.io/docs/api-reference/speech-to-text/convert). The endpoint takes no prompt, and does not stream. */
export async function transcribe(
  client: UpstreamClient,
  call: TranscriptionCall,
): Promise<TranscriptionResult> {
  const { order } = call
  if (order.prompt !== undefined)
    throw new UpstreamError('invalid_request', {
      executed: false,
      detail: 'This wire has no field for a prompt.',
    })
  const { seconds } = order.recording
  const request = mediaRequest(call, '/speech-to-text', formOf(call), seconds)
  const transcript = await transcriptIn(
    await client.json(request, transcriptBytes(seconds)),
    order,
    client.secrets,
  )
  if (transcript.text !== '') order.onText?.(transcript.text)
  return transcript
}

function formOf({ order, upstreamModel }: TranscriptionCall): Form {
  const { recording, language, timestamps, diarize, speakers, keywords = [], temperature } = order
  const form = new Form()
  form.add('file', {
    name: fileName(recording.name),
    mediaType: recording.mediaType,
    bytes: recording.bytes,
  })
  form.add('model_id', upstreamModel)
  // Without this field, «(laughs)» would stand in the text as if it had been said.
  form.add('tag_audio_events', 'false')
  form.add('timestamps_granularity', timestamps === 'none' && !diarize ? 'none' : 'word')
  if (language !== undefined) form.add('language_code', language)
  if (diarize) form.add('diarize', 'true')
  if (diarize && speakers !== undefined) form.add('num_speakers', String(speakers))
  for (const word of keywords) form.add('keyterms', word)
  if (temperature !== undefined) form.add('temperature', String(temperature))
  return form
}

/** The transcript of an answer. Throws `UpstreamError`, always with `executed: true`: the upstream has done the work. */
async function transcriptIn(
  answer: unknown,
  order: TranscriptionOrder,
  secrets: readonly string[],
): Promise<TranscriptionResult> {
  if (!isRecord(answer)) throw malformed('an answer that is no object')
  if (answer['error'] != null || answer['detail'] != null)
    throw faultOfError(answer['error'] ?? answer['detail'], secrets)
  const text = answer['text']
  if (typeof text !== 'string') throw malformed('an answer without text')
  checkLength(text.length, order)
  const words = await wordsIn(wordsWithoutGaps(answer['words']), order.recording.seconds, 'text')
  const segments = segmentsOfWords(words)
  const language = languageCode(answer['language_code'])
  const seconds = claimedSeconds(answer['audio_duration_secs'])
  return {
    text: text.trim(),
    ...(language !== undefined && { language }),
    ...((order.timestamps !== 'none' || order.diarize) && segments.length > 0 && { segments }),
    ...(order.timestamps === 'word' && words.length > 0 && { words }),
    ...(seconds !== undefined && { usage: { seconds } }),
  }
}

/** The words of a list, without the spaces between them and without sounds that are no words. */
const wordsWithoutGaps = (list: unknown): unknown =>
  Array.isArray(list)
    ? list.filter(
        (item: unknown) => isRecord(item) && item['type'] !== 'spacing' && item['type'] !== 'audio_event',
      )
    : []

const malformed = (detail: string): UpstreamError => new UpstreamError('malformed', { detail })
