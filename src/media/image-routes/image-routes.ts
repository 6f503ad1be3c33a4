/** `POST /v1/images/…`: pictures as the clients of OpenAI and OpenRouter request them. */
import { modelFailures, modelsOfKind, paymentFailures, referenceHeaders, storedFailures } from '#core/calls'
import { upstreamFailures } from '#core/inference'
import { imageFailures } from '#media/images'
import type { FailureCode } from '#platform/errors'
import type { Route } from '#platform/http'
import { type ImageRoutesApp, route } from './app.ts'
import { editImages } from './edit.ts'
import { generateImages } from './generate.ts'
import { OrderBody, OrderedPictures } from './openrouter-schema.ts'
import { orderImages } from './order.ts'
import { EditForm, GenerationBody, maxPromptBytes, Pictures, referenceBytes } from './schema.ts'

const maxReferences = 8

const failures: FailureCode[] = [
  ...modelFailures,
  ...paymentFailures,
  ...imageFailures,
  ...upstreamFailures,
  ...storedFailures,
]

const routes: Route<ImageRoutesApp>[] = [
  route({
    method: 'POST',
    path: '/v1/images/generations',
    operation: 'images.generate',
    writes: ['files'],
    scope: 'studio:write',
    summary: { en: 'Draw pictures of a text.', fa: 'کشیدن تصویر از روی متن.' },
    models: modelsOfKind('image'),
    idempotent: true,
    unknownFields: 'tolerate',
    headers: referenceHeaders,
    body: GenerationBody,
    reply: { 200: Pictures },
    streams: true,
    errors: [...failures, 'SECRETS_SEALED'],
    handle: generateImages,
  }),
  route({
    method: 'POST',
    path: '/v1/images/edits',
    operation: 'images.edit',
    writes: ['files'],
    scope: 'studio:write',
    summary: {
      en: 'Draw by pictures and a text: a form with up to eight of them, and a mask.',
      fa: 'کشیدن تصویر از روی تصویر و متن: یک فرم با حداکثر هشت تصویر و یک mask.',
    },
    models: modelsOfKind('image', ({ image }) => image.maxReferences > 0),
    idempotent: true,
    unknownFields: 'tolerate',
    headers: referenceHeaders,
    upload: {
      fields: EditForm,
      files: { image: maxReferences, mask: 1 },
      maxBytes: referenceBytes,
      fieldBytes: maxPromptBytes,
      inMemory: true,
    },
    reply: { 200: Pictures },
    streams: true,
    errors: [...failures, 'INVALID_MEDIA', 'SECRETS_SEALED'],
    handle: editImages,
  }),
  route({
    method: 'POST',
    path: '/v1/images',
    operation: 'images.order',
    writes: ['files'],
    scope: 'studio:write',
    summary: {
      en: 'Draw pictures, in the shape of OpenRouter.',
      fa: 'کشیدن تصویر با قالب OpenRouter.',
    },
    models: modelsOfKind('image'),
    idempotent: true,
    unknownFields: 'tolerate',
    bodyLimit: referenceBytes,
    headers: referenceHeaders,
    body: OrderBody,
    reply: { 200: OrderedPictures },
    streams: true,
    errors: [...failures, 'INVALID_MEDIA'],
    handle: orderImages,
  }),
]

export const images = { name: 'images', routes }
