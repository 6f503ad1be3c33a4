/** `POST /v1/images/generations`: pictures as the OpenAI clients ask for them. */
import { modelFailures, paymentFailures, referenceHeaders, storedFailures } from '#capabilities/calls'
import { imageFailures } from '#engine/images'
import { upstreamFailures } from '#engine/inference'
import { type Route, route } from '#platform/http'
import { generateImages } from './generate.ts'
import { GeneratedImages, GenerationBody } from './schema.ts'

const routes: Route[] = [
  route({
    method: 'POST',
    path: '/v1/images/generations',
    operation: 'images.generate',
    scope: 'studio:write',
    summary: { en: 'Draw pictures of a text.', fa: 'کشیدن تصویر از روی متن.' },
    idempotent: true,
    unknownFields: 'tolerate',
    headers: referenceHeaders,
    body: GenerationBody,
    reply: { 200: GeneratedImages },
    errors: [...modelFailures, ...paymentFailures, ...imageFailures, ...upstreamFailures, ...storedFailures],
    handle: generateImages,
  }),
]

export const images = { name: 'images', routes }
