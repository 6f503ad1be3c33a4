import {
  answerStored,
  Base64Bytes,
  costOf,
  payment,
  requireModel,
  setIgnoredFields,
  unnamedFields,
} from '#capabilities/calls'
import { type ImageSpec, type PaidImage, type PaidPictures, startPaidImage } from '#engine/images'
import { sizeName, sizeOf } from '#engine/models'
import { fail } from '#platform/errors'
import type { Content, JsonText, RequestContext } from '#platform/http'
import { reasons } from './phrases.ts'
import { GenerationBody } from './schema.ts'

/** Everything wrong is refused first, then the price is held, then the pictures are ordered, once. */
export async function generateImages(context: RequestContext<GenerationBody>): Promise<JsonText | Content> {
  const { body } = context
  const model = requireModel(context, body.model, 'image')
  const wish = wishOf(body)
  const paid = await startPaidImage(context.app, {
    ...payment(context),
    model,
    spec: wish,
    stream: false,
    endpoint: '/v1/images/generations',
  })
  setIgnoredFields(context, unnamedFields(body, GenerationBody))
  return answerStored(context, paid, async () => {
    const drawn = await paid.pictures()
    return { body: answerOf(context, paid, drawn), files: drawn.files }
  })
}

function wishOf(body: GenerationBody): ImageSpec {
  if (body.response_format === 'url')
    fail('INVALID_REQUEST', { why: reasons.noAddress }, { param: 'response_format' })
  if (body.stream) fail('INVALID_REQUEST', { why: reasons.noStream }, { param: 'stream' })
  if (body.partial_images) fail('INVALID_REQUEST', { why: reasons.noStream }, { param: 'partial_images' })
  if (body.prompt.trim() === '') fail('INVALID_REQUEST', { why: reasons.blank }, { param: 'prompt' })
  const { background } = body
  const size = sizeOf(body.size ?? '')
  const quality = qualityOf(body.quality ?? 'auto')
  return {
    prompt: body.prompt,
    references: [],
    action: 'generate',
    count: body.n ?? 1,
    ...(size && { size }),
    fit: 'pad',
    ...(quality && { quality }),
    format: body.output_format ?? 'png',
    ...(background && background !== 'auto' && { background }),
    where: (setting) => (setting === 'count' ? 'n' : setting),
  }
}

/** Maps the quality names of older clients. */
function qualityOf(named: NonNullable<GenerationBody['quality']>): ImageSpec['quality'] {
  if (named === 'auto' || named === 'standard') return undefined
  return named === 'hd' ? 'high' : named
}

function answerOf(
  { receivedMs }: RequestContext,
  paid: PaidImage,
  { pictures, tokens, microcredits }: PaidPictures,
) {
  const { format, quality, background } = paid.plan
  const { width, height } = pictures[0]!
  return {
    created: Math.floor(receivedMs / 1000),
    model: paid.model.id,
    data: pictures.map(({ bytes }) => ({ b64_json: new Base64Bytes(bytes) })),
    background: background ?? 'auto',
    output_format: format,
    quality: quality ?? 'auto',
    size: sizeName({ width, height }),
    usage: {
      input_tokens: tokens.input,
      input_tokens_details: { text_tokens: tokens.input, image_tokens: 0 },
      output_tokens: tokens.output,
      total_tokens: tokens.input + tokens.output,
      ...costOf(microcredits),
    },
  }
}
