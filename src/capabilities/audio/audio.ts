/** `POST /v1/audio/speech`: speech as the OpenAI clients ask for it. */
import { modelFailures, paymentFailures, referenceHeaders, storedFailures } from '#capabilities/calls'
import { upstreamFailures } from '#engine/inference'
import { speechFailures } from '#engine/speech'
import { type Route, route } from '#platform/http'
import { createSpeech } from './create-speech.ts'
import { SpeechBody } from './schema.ts'

const mediaTypes = ['audio/mpeg', 'audio/ogg', 'audio/aac', 'audio/flac', 'audio/wav', 'audio/pcm']

const routes: Route[] = [
  route({
    method: 'POST',
    path: '/v1/audio/speech',
    operation: 'audio.speech',
    scope: 'studio:write',
    summary: { en: 'Speak a text, streamed as it comes.', fa: 'خواندن متن، جاری همان‌گونه که می‌آید.' },
    idempotent: true,
    unknownFields: 'tolerate',
    headers: referenceHeaders,
    body: SpeechBody,
    reply: { 200: mediaTypes.join(', ') },
    errors: [...modelFailures, ...paymentFailures, ...speechFailures, ...upstreamFailures, ...storedFailures],
    handle: createSpeech,
  }),
]

export const audio = { name: 'audio', routes }
