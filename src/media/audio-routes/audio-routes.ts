/** The routes for speech, as the OpenAI clients request it, and for the transcription of recordings. */
import { modelFailures, modelsOfKind, paymentFailures, referenceHeaders, storedFailures } from '#core/calls'
import { upstreamFailures } from '#core/inference'
import { canSpeak } from '#core/models'
import { speechFailures } from '#media/speech'
import { transcriptionFailures } from '#media/transcription'
import type { Route } from '#platform/http'
import { type AudioRoutesApp, route } from './app.ts'
import { createSpeech } from './create-speech.ts'
import { SpeechBody } from './schema.ts'
import { TranscriptionBody, TranscriptionForm, TranscriptReply } from './transcription/schema.ts'
import { transcribe } from './transcription/transcribe.ts'

/** The most bytes of a body: a recording of 18,666,668 characters, with room for the rest of the body. */
const bodyLimit = 28 * 1024 * 1024

const mediaTypes = ['audio/mpeg', 'audio/ogg', 'audio/aac', 'audio/flac', 'audio/wav', 'audio/pcm']

const routes: Route<AudioRoutesApp>[] = [
  route({
    method: 'POST',
    path: '/v1/audio/speech',
    operation: 'audio.speech',
    scope: 'studio:write',
    summary: { en: 'Speak a text, streamed as it comes.', fa: 'خواندن متن، جاری همان‌گونه که می‌آید.' },
    models: modelsOfKind('audio', canSpeak),
    idempotent: true,
    unknownFields: 'tolerate',
    headers: referenceHeaders,
    body: SpeechBody,
    reply: { 200: mediaTypes.join(', ') },
    errors: [...modelFailures, ...paymentFailures, ...speechFailures, ...upstreamFailures, ...storedFailures],
    handle: createSpeech,
  }),
  route({
    method: 'POST',
    path: '/v1/audio/transcriptions',
    operation: 'audio.transcribe',
    scope: 'audio:write',
    summary: { en: 'Write a recording down.', fa: 'نوشتن متن یک ضبط صدا.' },
    models: modelsOfKind('transcription'),
    idempotent: true,
    unknownFields: 'tolerate',
    bodyLimit,
    headers: referenceHeaders,
    body: TranscriptionBody,
    upload: {
      fields: TranscriptionForm,
      files: { file: 1 },
      isOptional: true,
      maxBytes: ({ audio }) => audio.maxUploadBytes,
    },
    reply: { 200: TranscriptReply },
    otherTypes: 'text/plain, application/x-subrip, text/vtt',
    streams: true,
    errors: [
      ...modelFailures,
      ...paymentFailures,
      ...transcriptionFailures,
      ...upstreamFailures,
      ...storedFailures,
      'INVALID_MEDIA',
      'FILE_NOT_FOUND',
      'FILE_LOST',
    ],
    handle: transcribe,
  }),
]

export const audio = { name: 'audio', routes }
