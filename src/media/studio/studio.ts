/** Studio: creations from one prompt, with presets in place of model names. */
import { modelFailures, modelsOfKind, paymentFailures, referenceHeaders, storedFailures } from '#core/calls'
import { upstreamFailures } from '#core/inference'
import { textFailures } from '#core/text'
import { imageFailures } from '#media/images'
import { speechFailures } from '#media/speech'
import { transcriptionFailures } from '#media/transcription'
import type { Route } from '#platform/http'
import { route, type StudioApp } from './app.ts'
import { drawImages } from './draw-images.ts'
import { AudioBody, DrawnImages, ImageBody, SpokenAudio, TextBody, WrittenText } from './schema.ts'
import { speak } from './speak.ts'
import { writeText } from './write-text.ts'

export { executionOf } from './execution.ts'
export { Execution, Reference } from './schema.ts'

/** The most bytes of a body: eight references of 12,000,000 characters, with room for the rest. */
const imageBodyLimit = 100 * 1024 * 1024
/** The most bytes of a body: a recording of 18,666,668 characters, with room for the rest. */
const audioBodyLimit = 28 * 1024 * 1024

const routes: Route<StudioApp>[] = [
  route({
    method: 'POST',
    path: '/v1/studio/image',
    operation: 'studio.image',
    writes: ['files'],
    scope: 'studio:write',
    summary: { en: 'Draw pictures.', fa: 'کشیدن تصویر.' },
    models: modelsOfKind('image'),
    idempotent: true,
    bodyLimit: imageBodyLimit,
    headers: referenceHeaders,
    body: ImageBody,
    reply: { 200: DrawnImages },
    errors: [
      ...modelFailures,
      ...paymentFailures,
      ...imageFailures,
      ...upstreamFailures,
      ...storedFailures,
      'INVALID_MEDIA',
    ],
    handle: drawImages,
  }),
  route({
    method: 'POST',
    path: '/v1/studio/audio',
    operation: 'studio.audio',
    scope: 'studio:write',
    summary: {
      en: 'Speak a text, a dialogue, or an answer to a recording.',
      fa: 'خواندن متن یا گفت‌وگو، یا پاسخ دادن به یک ضبط با صدا.',
    },
    models: modelsOfKind('audio'),
    idempotent: true,
    bodyLimit: audioBodyLimit,
    headers: referenceHeaders,
    body: AudioBody,
    reply: { 200: SpokenAudio },
    errors: [
      ...modelFailures,
      ...paymentFailures,
      ...speechFailures,
      ...transcriptionFailures,
      ...upstreamFailures,
      ...storedFailures,
      'INVALID_MEDIA',
    ],
    handle: speak,
  }),
  route({
    method: 'POST',
    path: '/v1/studio/text',
    operation: 'studio.text',
    scope: 'studio:write',
    summary: { en: 'Write a text.', fa: 'نوشتن یک متن.' },
    models: modelsOfKind('text'),
    idempotent: true,
    headers: referenceHeaders,
    body: TextBody,
    reply: { 200: WrittenText },
    errors: [...textFailures, 'NO_TEXT_WRITTEN'],
    handle: writeText,
  }),
]

export const studio = { name: 'studio', routes }
