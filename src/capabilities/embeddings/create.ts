import type { App, Caller } from '#app'
import { costOf, nameIgnored, payment, tellCost } from '#capabilities/text'
import { embed, type Vectors } from '#engine/embeddings'
import { encodeBase64 } from '#engine/media'
import type { EmbeddingModel } from '#engine/models'
import { fail, finalFailure } from '#platform/errors'
import { type Ask, JsonText } from '#platform/http'
import { replayLimitBytes } from '#platform/idempotency'
import { EmbeddingsBody } from './schema.ts'
import { reasons } from './words.ts'

/** Everything wrong is refused first, then the bound of the texts is held, then the upstream is asked, once. */
export async function createEmbeddings(ask: Ask<EmbeddingsBody>): Promise<JsonText> {
  const { app, body, claim } = ask
  const model = embeddingModel(app, ask.caller, body.model)
  const texts = textsOf(body.input, model)
  nameIgnored(
    ask,
    Object.keys(body).filter((field) => !(field in EmbeddingsBody.properties) || field === 'user'),
  )
  const textOf = (came: Vectors): string =>
    JSON.stringify(listOf(model, came, body.encoding_format ?? 'float'))
  const outcome = await embed(app, {
    ...payment(ask),
    endpoint: '/v1/embeddings',
    model,
    texts,
    dimensions: body.dimensions ?? undefined,
    ...(claim && {
      replyOf: (came: Vectors) => {
        const text = textOf(came)
        return Buffer.byteLength(text) < replayLimitBytes ? text : undefined
      },
    }),
  })
  if ('failure' in outcome)
    throw claim && !outcome.didNothing ? finalFailure(outcome.failure) : outcome.failure
  tellCost(ask, outcome.microcredits)
  return new JsonText(textOf(outcome))
}

function embeddingModel(app: App, caller: Caller, name: string): EmbeddingModel {
  const model = app.models.find(name)
  if (!model) return fail('MODEL_NOT_FOUND', { model: name }, { param: 'model' })
  if (caller.models && !caller.models.has(model.id))
    fail('MODEL_NOT_ALLOWED', { model: model.id }, { param: 'model' })
  return model.kind === 'embedding'
    ? model
    : fail('MODEL_KIND_MISMATCH', { model: model.id, kind: model.kind }, { param: 'model' })
}

/** No tokenizer has fewer than one token to so many bytes of a language. */
const mostBytesPerToken = 8

function textsOf(input: EmbeddingsBody['input'], { maxBatch, maxInputTokens }: EmbeddingModel): string[] {
  const items = typeof input === 'string' ? [input] : input
  if (items.length > maxBatch && items.every((item) => typeof item === 'string'))
    fail('INVALID_REQUEST', { why: reasons.many(maxBatch) }, { param: 'input' })
  return items.map((item, index) => {
    const param = typeof input === 'string' ? 'input' : `input.${index}`
    if (typeof item !== 'string') return fail('INVALID_REQUEST', { why: reasons.tokens }, { param: 'input' })
    if (item === '') fail('INVALID_REQUEST', { why: reasons.empty }, { param })
    if (Buffer.byteLength(item) > mostBytesPerToken * maxInputTokens)
      fail('INVALID_REQUEST', { why: reasons.long(maxInputTokens) }, { param })
    return item.toWellFormed()
  })
}

const listOf = (model: EmbeddingModel, { vectors, tokens, microcredits }: Vectors, encoding: string) => ({
  object: 'list',
  data: vectors.map((vector, index) => ({
    object: 'embedding',
    index,
    embedding: encoding === 'base64' ? encodeBase64(littleEndian(vector)) : [...vector],
  })),
  model: model.id,
  usage: { prompt_tokens: tokens, total_tokens: tokens, ...costOf(microcredits) },
})

function littleEndian(vector: Float32Array): Uint8Array {
  const view = new DataView(new ArrayBuffer(4 * vector.length))
  for (const [at, value] of vector.entries()) view.setFloat32(4 * at, value, true)
  return new Uint8Array(view.buffer)
}
