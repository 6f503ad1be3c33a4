/** Studio: creations from one prompt, with presets in place of model names. */
import { referenceHeaders } from '#capabilities/calls'
import { textFailures } from '#capabilities/text'
import { type Route, route } from '#platform/http'
import { TextBody, WrittenText } from './schema.ts'
import { writeText } from './write-text.ts'

const routes: Route[] = [
  route({
    method: 'POST',
    path: '/v1/studio/text',
    operation: 'studio.text',
    scope: 'studio:write',
    summary: { en: 'Write a text.', fa: 'نوشتن یک متن.' },
    idempotent: true,
    headers: referenceHeaders,
    body: TextBody,
    reply: { 200: WrittenText },
    errors: [...textFailures, 'NO_TEXT_WRITTEN'],
    handle: writeText,
  }),
]

export const studio = { name: 'studio', routes }
