/** The form of a recording for OpenAI's `POST /audio/transcriptions` and `/audio/translations` (developers.openai.com, createTranscription). */

import type { TranscriptionCall } from '#core/spec'
import { Form } from '#providers/kit'

export type Endpoint = 'openai' | 'whisper.cpp'

/** The form of an order, with nothing that was not ordered. Lists are sent as OpenAI's own clients do, as `name[]` once for each value. */
export function formOf({ order, upstreamModel }: TranscriptionCall, endpoint: Endpoint): Form {
  const { recording, translate, language, prompt, keywords = [], temperature, timestamps } = order
  const form = new Form()
  form.add('file', {
    name: fileName(recording.name),
    mediaType: recording.mediaType,
    bytes: recording.bytes,
  })
  form.add('model', upstreamModel)
  const format = formatOf(order)
  form.add('response_format', format)
  // Without this field the model cannot take more than 30 seconds (the same page).
  if (format === 'diarized_json') form.add('chunking_strategy', 'auto')
  // The endpoint for translations always says the times of segments, and no others.
  if (format === 'verbose_json' && !translate) {
    form.add('timestamp_granularities[]', 'segment')
    if (timestamps === 'word') form.add('timestamp_granularities[]', 'word')
  }
  if (language !== undefined) form.add('language', language)
  // whisper.cpp's server takes every recording for English unless it is told to detect the language (examples/server: params.language).
  else if (endpoint === 'whisper.cpp') form.add('language', 'auto')
  if (translate && endpoint === 'whisper.cpp') form.add('translate', 'true')
  if (prompt !== undefined) form.add('prompt', prompt)
  for (const word of keywords) form.add('keywords[]', word)
  if (temperature !== undefined) form.add('temperature', String(temperature))
  if (order.onText) form.add('stream', 'true')
  return form
}

/** The format of the answer. Every model knows `json` alone; the other formats have times and speakers. */
const formatOf = ({ timestamps, diarize }: TranscriptionCall['order']): string => {
  if (diarize) return 'diarized_json'
  return timestamps === 'none' ? 'json' : 'verbose_json'
}

/** The file name that is sent: only the extension of the caller's own name is kept, since some upstreams go by it and none needs the rest. */
export const fileName = (name: string): string => {
  const extension = /\.([a-z0-9]{1,5})$/i.exec(name)?.[1]
  return extension === undefined ? 'recording' : `recording.${extension.toLowerCase()}`
}
