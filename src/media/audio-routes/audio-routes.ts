/** The routes for speech and its voices, as the OpenAI clients request it, and for the transcription and translation of recordings. */
import { modelFailures, modelsOfKind, paymentFailures, referenceHeaders, storedFailures } from '#core/calls'
import { upstreamFailures } from '#core/inference'
import { canSpeak } from '#core/models'
import { speechFailures } from '#media/speech'
import { transcriptionFailures } from '#media/transcription'
import type { FailureCode } from '#platform/errors'
import type { Route } from '#platform/http'
import { type AudioRoutesApp, route } from './app.ts'
import { createSpeech } from './create-speech.ts'
import { listVoices } from './list-voices.ts'
import { SpeechBody, VoiceList, VoicesQuery } from './schema.ts'
import {
  TranscriptionBody,
  TranscriptionForm,
  TranscriptReply,
  TranslationForm,
} from './transcription/schema.ts'
import { transcribe, translate } from './transcription/transcribe.ts'

/** The most bytes of a body: a recording of 18,666,668 characters, with room for the rest of the body. */
const bodyLimit = 28 * 1024 * 1024

const mediaTypes = ['audio/mpeg', 'audio/ogg', 'audio/aac', 'audio/flac', 'audio/wav', 'audio/pcm']

const writtenTypes = 'text/plain, application/x-subrip, text/vtt'
const recordingFailures: FailureCode[] = [
  ...modelFailures,
  ...paymentFailures,
  ...transcriptionFailures,
  ...upstreamFailures,
  ...storedFailures,
  'INVALID_MEDIA',
  'FILE_NOT_FOUND',
  'FILE_LOST',
]

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
    streams: true,
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
    otherTypes: writtenTypes,
    streams: true,
    errors: recordingFailures,
    handle: transcribe,
  }),
  route({
    method: 'POST',
    path: '/v1/audio/translations',
    operation: 'audio.translate',
    scope: 'audio:write',
    summary: {
      en: 'Write down in English what is said in a recording, in whatever language.',
      fa: 'نوشتن آنچه در یک ضبط به هر زبانی گفته می‌شود، به انگلیسی.',
    },
    models: modelsOfKind('transcription', ({ transcription }) => transcription.translates),
    idempotent: true,
    unknownFields: 'tolerate',
    headers: referenceHeaders,
    upload: {
      fields: TranslationForm,
      files: { file: 1 },
      isOptional: true,
      maxBytes: ({ audio }) => audio.maxUploadBytes,
    },
    reply: { 200: TranscriptReply },
    otherTypes: writtenTypes,
    errors: [...recordingFailures, 'TOO_MUCH_IN_FLIGHT'],
    handle: translate,
  }),
  route({
    method: 'GET',
    path: '/v1/audio/voices',
    operation: 'audio.voices',
    scope: 'models:read',
    orScope: 'studio:write',
    summary: {
      en: 'The voices of the speech models that this key may use.',
      fa: 'صداهای مدل‌های گفتار این کلید.',
    },
    query: VoicesQuery,
    reply: { 200: VoiceList },
    errors: modelFailures,
    handle: listVoices,
  }),
]

export const audio = { name: 'audio', routes }
