/** `POST /v1/embeddings`: texts turned into vectors, as the OpenAI clients request them (docs/decisions/text/embeddings.md). */
import { modelFailures, modelsOfKind, paymentFailures, referenceHeaders } from '#core/calls'
import { upstreamFailures } from '#core/inference'
import type { PaidApp } from '#core/paid'
import type { Route } from '#platform/http'
import { route } from './app.ts'
import { createEmbeddings } from './create.ts'
import { EmbeddingList, EmbeddingsBody } from './schema.ts'

/** Bytes of a whole body: 2,048 texts of 8 KB, or of five hundred token numbers each. */
const bodyLimit = 16 * 1024 * 1024

const routes: Route<PaidApp>[] = [
  route({
    method: 'POST',
    path: '/v1/embeddings',
    operation: 'embeddings.create',
    scope: 'responses:write',
    summary: {
      en: 'Turn texts into vectors, so that texts of like meaning are near each other.',
      fa: 'تبدیل متن‌ها به بردار، چنان‌که متن‌های هم‌معنا نزدیک هم باشند.',
    },
    models: modelsOfKind('embedding'),
    idempotent: true,
    unknownFields: 'tolerate',
    headers: referenceHeaders,
    bodyLimit,
    body: EmbeddingsBody,
    reply: { 200: EmbeddingList },
    errors: [...modelFailures, ...paymentFailures, ...upstreamFailures],
    handle: createEmbeddings,
  }),
]

export const embeddings = { name: 'embeddings', routes }
