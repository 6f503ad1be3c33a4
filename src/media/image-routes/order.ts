/** `POST /v1/images`: pictures as OpenRouter's clients request them. */
import {
  Base64Bytes,
  costOf,
  ignoredFields,
  requireModel,
  requireNoOptions,
  unknownFields,
  usdOf,
} from '#core/calls'
import { parsePixelSize } from '#core/models'
import { largePicture } from '#core/text'
import type { Media, PixelSize } from '#core/turn'
import type { ImageSpec, PaidPictures } from '#media/images'
import { fail } from '#platform/errors'
import type { ContentAnswer, EventStream, JsonText, RequestContext } from '#platform/http'
import type { ImageRoutesApp } from './app.ts'
import { drawPictures } from './draw.ts'
import { maxReferenceCharacters, OrderBody } from './openrouter-schema.ts'
import { reasons } from './phrases.ts'
import {
  compressionOf,
  imagePromptOf,
  paramResolver,
  qualityOf,
  ratioOf,
  requireNoMask,
  requireStreamable,
} from './wish.ts'

type OrderContext = RequestContext<ImageRoutesApp, OrderBody>

export async function orderImages(context: OrderContext): Promise<JsonText | ContentAnswer | EventStream> {
  const { app, body, receivedMs } = context
  const usageOf = ({ tokens, microcredits }: PaidPictures) => ({
    prompt_tokens: tokens.input,
    completion_tokens: tokens.output,
    total_tokens: tokens.input + tokens.output,
    cost: usdOf(app, microcredits),
    ...costOf(microcredits),
  })
  const created = Math.floor(receivedMs / 1000)
  return drawPictures(context, {
    model: requireModel(context, body.model, 'image'),
    spec: await specOf(context),
    endpoint: '/v1/images',
    stream: body.stream === true,
    ignored: [...unknownFields(body, OrderBody), ...ignoredFields(body)],
    event: 'image_generation',
    bodyOf: ({ model }, drawn) => ({
      created,
      model: model.id,
      data: drawn.pictures.map(({ bytes, mediaType }) => ({
        b64_json: new Base64Bytes(bytes),
        media_type: mediaType,
      })),
      usage: usageOf(drawn),
    }),
    partialOf: ({ model }, { mediaType }) => ({ media_type: mediaType, created, model: model.id }),
    lastOf: ({ model }, drawn) => ({
      media_type: drawn.pictures[0]!.mediaType,
      created,
      model: model.id,
      file_id: drawn.files[0],
      usage: usageOf(drawn),
    }),
  })
}

async function specOf(context: OrderContext): Promise<ImageSpec> {
  const { body } = context
  requireStreamable(body)
  requireNoMask(body)
  requireNoOptions(body)
  const { prompt, background, output_format: format, output_compression: compression } = body
  const quality = qualityOf(body.quality ?? 'auto')
  return {
    prompt: imagePromptOf(prompt),
    references: await referencesOf(context),
    action: 'auto',
    count: body.n ?? 1,
    ...shapeOf(body),
    fit: 'pad',
    ...(quality && { quality }),
    format: format ?? 'auto',
    ...compressionOf(compression, format ?? 'png'),
    ...(background && background !== 'auto' && { background }),
    ...(body.partial_images && { partials: body.partial_images }),
    ...(body.seed != null && { seed: body.seed }),
    where: paramResolver({
      references: 'input_references',
      ...(body.resolution && { size: 'resolution' }),
    }),
  }
}

/** The side of a square for each named resolution. */
const sides: Record<string, number> = { 512: 512, '1K': 1_024, '2K': 2_048, '4K': 2_880 }
/** Sides are multiples of this number of pixels. */
const step = 16

function shapeOf({ size, resolution, aspect_ratio }: OrderBody): Pick<ImageSpec, 'size' | 'aspectRatio'> {
  if (size && size !== 'auto' && resolution)
    fail('INVALID_REQUEST', { why: reasons.resolutionAlone }, { param: 'resolution' })
  const aspectRatio = ratioOf(aspect_ratio)
  const side = sides[resolution ?? size ?? '']
  if (side) return { size: sizeIn(side, aspectRatio ?? 1) }
  const named = parsePixelSize(size ?? '')
  return { ...(named && { size: named }), ...(aspectRatio && { aspectRatio }) }
}

/** A size of this ratio with about as many pixels as the square of this side has, and never more. */
function sizeIn(side: number, ratio: number): PixelSize {
  const whole = (length: number): number => Math.max(step, Math.floor(length / step) * step)
  return { width: whole(side * Math.sqrt(ratio)), height: whole(side / Math.sqrt(ratio)) }
}

const pictureTypes = ['image/png', 'image/jpeg', 'image/webp']

/**
 * The reference pictures, decoded one after the other. Each text is freed once its bytes exist, so that two large bodies at once stay within their
 * memory.
 */
async function referencesOf(context: OrderContext): Promise<Media[]> {
  const { accountId } = context.caller
  const media: Media[] = []
  let bytes = 0
  for (const [index, { image_url }] of (context.body.input_references ?? []).entries()) {
    const param = `input_references.${index}.image_url.url`
    const { url } = image_url
    image_url.url = ''
    const field = { types: pictureTypes, param, accountId, characters: maxReferenceCharacters }
    const picture = await largePicture(url, field)
    bytes += picture.data!.length
    await context.reserveMemory(bytes)
    media.push(picture)
  }
  return media
}
