import { Type } from 'typebox'
import { answerPaid, payment, requireModel, setIgnoredFields, unknownFields } from '#core/calls'
import { startPaidVectors, textOfTokens } from '#core/embeddings'
import { type EmbeddingModel, takesDimensions } from '#core/models'
import type { PaidApp } from '#core/paid'
import { fail } from '#platform/errors'
import type { ContentAnswer, JsonText, RequestContext } from '#platform/http'
import { Slice } from '#platform/slices'
import { reasons } from './phrases.ts'
import { EmbeddingsBody, maxTexts } from './schema.ts'
import { embeddingsJson } from './written.ts'

/**
 * Answers with vectors. First the request is checked, then the worst case of all texts is held, then the upstream is called, in as many orders as it
 * needs.
 */
export async function createEmbeddings(
  context: RequestContext<PaidApp, EmbeddingsBody>,
): Promise<JsonText | ContentAnswer> {
  const { app, body } = context
  const model = requireModel(context, body.model, 'embedding')
  requireDimensions(model, body.dimensions ?? undefined)
  const texts = await textsOf(body.input, model)
  setIgnoredFields(context, unknownFields(body, effectiveFields))
  const paid = await startPaidVectors(app, {
    ...payment(context),
    endpoint: '/v1/embeddings',
    model,
    texts,
    dimensions: body.dimensions ?? undefined,
  })
  return answerPaid(context, paid, async () => {
    const result = await paid.vectors()
    const answer = await embeddingsJson(model.id, result, body.encoding_format ?? 'float')
    return { ...answer, microcredits: result.microcredits }
  })
}

/** The fields that have an effect; `user` is taken from clients that send it. */
const effectiveFields = Type.Omit(EmbeddingsBody, ['user'])

/** Refuses dimensions that the upstream would refuse or, worse, ignore. */
function requireDimensions(model: EmbeddingModel, wanted: number | undefined): void {
  if (wanted === undefined || takesDimensions(model, wanted)) return
  const { dimensions, maxDimensions, allowedDimensions = [] } = model
  const allowed = [...(dimensions === undefined ? [] : [dimensions]), ...allowedDimensions]
  const why =
    maxDimensions !== undefined
      ? reasons.fewerDimensions(maxDimensions, allowed)
      : allowed.length > 0
        ? reasons.theseDimensions(allowed)
        : reasons.ownDimensions
  fail('INVALID_REQUEST', { why }, { param: 'dimensions' })
}

/** The most bytes of text per token that any tokenizer has in any language. */
const maxBytesPerToken = 8

/** The texts of `input`, each checked; token numbers become the text that they stand for. */
async function textsOf(input: EmbeddingsBody['input'], model: EmbeddingModel): Promise<string[]> {
  const items = itemsOf(input)
  if (items.length > maxTexts) fail('INVALID_REQUEST', { why: reasons.many(maxTexts) }, { param: 'input' })
  const texts: string[] = []
  const slice = new Slice()
  for (const [index, item] of items.entries()) {
    const param = items === input ? `input.${index}` : 'input'
    const text = typeof item === 'string' ? item : await readTokens(item, model, param)
    if (text === '') fail('INVALID_REQUEST', { why: reasons.empty }, { param })
    if (Buffer.byteLength(text) > maxBytesPerToken * model.maxInputTokens)
      fail('INVALID_REQUEST', { why: reasons.long(model.maxInputTokens) }, { param })
    texts.push(text.toWellFormed())
    if (slice.isOver()) await slice.next()
  }
  return texts
}

/** The items of `input`; a single text or list of token numbers becomes a list of one. */
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
