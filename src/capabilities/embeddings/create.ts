import { Type } from 'typebox'
import {
  answerPaid,
  costOf,
  payment,
  requireModel,
  setIgnoredFields,
  unnamedFields,
} from '#capabilities/calls'
import { startPaidVectors, textOfTokens, type Vectors } from '#engine/embeddings'
import { encodeBase64 } from '#engine/media'
import type { EmbeddingModel } from '#engine/models'
import { littleEndian } from '#platform/bytes'
import { fail } from '#platform/errors'
import type { JsonText, RequestContext } from '#platform/http'
import { Slice } from '#platform/slices'
import { reasons } from './phrases.ts'
import { EmbeddingsBody } from './schema.ts'

/** Everything wrong is refused first, then the bound of the texts is held, then the upstream is asked, once. */
export async function createEmbeddings(context: RequestContext<EmbeddingsBody>): Promise<JsonText> {
  const { app, body } = context
  const model = requireModel(context, body.model, 'embedding')
  const texts = await textsOf(body.input, model)
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
    return {
      text: await listOf(model, result, body.encoding_format ?? 'float'),
      microcredits: result.microcredits,
    }
  })
}

/** The fields that have an effect; `user` is taken from clients that send it. */
const effectiveFields = Type.Omit(EmbeddingsBody, ['user'])

/** No tokenizer has fewer than one token to so many bytes of a language. */
const maxBytesPerToken = 8

/** The texts of `input`, each checked; token numbers become the text that they stand for. */
async function textsOf(input: EmbeddingsBody['input'], model: EmbeddingModel): Promise<string[]> {
  const items = itemsOf(input)
  if (items.length > model.maxBatch)
    fail('INVALID_REQUEST', { why: reasons.many(model.maxBatch) }, { param: 'input' })
  const texts: string[] = []
  for (const [index, item] of items.entries()) {
    const param = items === input ? `input.${index}` : 'input'
    const text = typeof item === 'string' ? item : await readTokens(item, model, param)
    if (text === '') fail('INVALID_REQUEST', { why: reasons.empty }, { param })
    if (Buffer.byteLength(text) > maxBytesPerToken * model.maxInputTokens)
      fail('INVALID_REQUEST', { why: reasons.long(model.maxInputTokens) }, { param })
    texts.push(text.toWellFormed())
  }
  return texts
}

/** A text and a list of token numbers stand for a list of one. */
function itemsOf(input: EmbeddingsBody['input']): readonly (string | unknown[])[] {
  if (typeof input === 'string') return [input]
  if (typeof input[0] === 'number') return [input]
  const mixed = input.findIndex((item) => typeof item === 'number')
  if (mixed >= 0) fail('INVALID_REQUEST', { why: reasons.mixed }, { param: `input.${mixed}` })
  return input as (string | unknown[])[]
}

async function readTokens(tokens: unknown[], model: EmbeddingModel, param: string): Promise<string> {
  if (tokens.length > maxBytesPerToken * model.maxInputTokens)
    fail('INVALID_REQUEST', { why: reasons.long(model.maxInputTokens) }, { param })
  const wrong = tokens.findIndex((token) => !Number.isInteger(token))
  const text = wrong < 0 ? await textOfTokens(tokens as number[]) : { unknownAt: wrong }
  return typeof text === 'string'
    ? text
    : fail('INVALID_REQUEST', { why: reasons.noToken }, { param: `${param}.${text.unknownAt}` })
}

/** The answer as JSON, written in slices: half a million numbers are 10 MB of text. */
async function listOf(
  model: EmbeddingModel,
  { vectors, tokens, microcredits }: Vectors,
  encoding: string,
): Promise<string> {
  const slice = new Slice()
  const items: string[] = []
  for (const [index, vector] of vectors.entries()) {
    const embedding = encoding === 'base64' ? `"${encodeBase64(littleEndian(vector))}"` : `[${vector.join()}]`
    items.push(`{"object":"embedding","index":${index},"embedding":${embedding}}`)
    if (slice.isOver()) await slice.next()
  }
  const usage = { prompt_tokens: tokens, total_tokens: tokens, ...costOf(microcredits) }
  const rest = `"model":${JSON.stringify(model.id)},"usage":${JSON.stringify(usage)}`
  return `{"object":"list","data":[${items.join()}],${rest}}`
}
