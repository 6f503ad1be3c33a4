import { Type } from 'typebox'
import {
  answerPaid,
  costOf,
  payment,
  requireModel,
  setIgnoredFields,
  unnamedFields,
} from '#capabilities/calls'
import { startPaidVectors, type Vectors } from '#engine/embeddings'
import { encodeBase64 } from '#engine/media'
import type { EmbeddingModel } from '#engine/models'
import { fail } from '#platform/errors'
import type { JsonText, RequestContext } from '#platform/http'
import { reasons } from './phrases.ts'
import { EmbeddingsBody } from './schema.ts'

/** Everything wrong is refused first, then the bound of the texts is held, then the upstream is asked, once. */
export async function createEmbeddings(context: RequestContext<EmbeddingsBody>): Promise<JsonText> {
  const { app, body } = context
  const model = requireModel(context, body.model, 'embedding')
  const texts = textsOf(body.input, model)
  setIgnoredFields(context, unnamedFields(body, effectiveFields))
  const paid = await startPaidVectors(app, {
    ...payment(context),
    endpoint: '/v1/embeddings',
    model,
    texts,
    dimensions: body.dimensions ?? undefined,
  })
  return answerPaid(context, paid, async () => {
    const result = await paid.vectors()
    return { body: listOf(model, result, body.encoding_format ?? 'float'), microcredits: result.microcredits }
  })
}

/** The fields that have an effect; `user` is taken from clients that send it. */
const effectiveFields = Type.Omit(EmbeddingsBody, ['user'])

/** No tokenizer has fewer than one token to so many bytes of a language. */
const maxBytesPerToken = 8

function textsOf(input: EmbeddingsBody['input'], { maxBatch, maxInputTokens }: EmbeddingModel): string[] {
  const items = typeof input === 'string' ? [input] : input
  if (items.length > maxBatch && items.every((item) => typeof item === 'string'))
    fail('INVALID_REQUEST', { why: reasons.many(maxBatch) }, { param: 'input' })
  return items.map((item, index) => {
    const param = typeof input === 'string' ? 'input' : `input.${index}`
    if (typeof item !== 'string') return fail('INVALID_REQUEST', { why: reasons.tokens }, { param: 'input' })
    if (item === '') fail('INVALID_REQUEST', { why: reasons.empty }, { param })
    if (Buffer.byteLength(item) > maxBytesPerToken * maxInputTokens)
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
