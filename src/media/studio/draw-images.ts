import { answerStored, Base64Bytes, payment, requirePrompt, setMissingOutputs } from '#core/calls'
import { parsePixelSize } from '#core/models'
import { largePicture } from '#core/text'
import type { Media } from '#core/turn'
import { type ImageSetting, type ImageSpec, type Picture, shrinkToLimit, startPaidImage } from '#media/images'
import { fail } from '#platform/errors'
import type { ContentAnswer, JsonText, RequestContext } from '#platform/http'
import type { StudioApp } from './app.ts'
import { executionOf } from './execution.ts'
import { reasons } from './phrases.ts'
import { modelOf } from './preset-model.ts'
import { type ImageBody, maxReferenceCharacters } from './schema.ts'

type DrawContext = RequestContext<StudioApp, ImageBody>

/** Draws one to four pictures. Every error of the request is refused first, then room and price are held, then each picture is ordered once. */
export async function drawImages(context: DrawContext): Promise<JsonText | ContentAnswer> {
  const { app, body } = context
  const model = modelOf(context, 'image')
  const paid = await startPaidImage(app.images, {
    ...payment(context),
    model,
    spec: await specOf(context),
    stream: false,
    endpoint: '/v1/studio/image',
  })
  return answerStored(context, paid, async () => {
    const { pictures, files, tokens, microcredits } = await paid.pictures()
    setMissingOutputs(context, (body.count ?? 1) - pictures.length)
    const execution = executionOf(context, { model: paid.model, tokens, microcredits })
    // The stored file keeps the picture as it was drawn.
    const outputs = await Promise.all(pictures.map((picture) => shrinkToLimit(picture)))
    return { body: { outputs: outputs.map(outputOf), execution }, files }
  })
}

const outputOf = ({ bytes, mediaType, width, height, sizing }: Picture) => ({
  data: new Base64Bytes(bytes),
  mediaType,
  width,
  height,
  sizing,
})

async function specOf(context: DrawContext): Promise<ImageSpec> {
  const { body } = context
  const { prompt, quality, transparent, fit = 'pad', count = 1, outputFormat = 'auto' } = body
  const size = parsePixelSize(body.size ?? '')
  return {
    prompt: requirePrompt(prompt, reasons.nothingToDraw),
    references: await referencesOf(context),
    action: 'auto',
    count,
    ...(size && { size }),
    ...ratioOf(body, size !== undefined),
    fit,
    ...(quality && { quality }),
    format: outputFormat,
    ...(transparent && { background: 'transparent' }),
    where: paramOf,
  }
}

/** The requested ratio. Without a size and a ratio a picture is square, as the contract defines. */
function ratioOf(
  { aspectRatio, size }: ImageBody,
  hasSize: boolean,
): Pick<ImageSpec, 'aspectRatio' | 'isUsualRatio'> {
  if (aspectRatio === 'auto' || (aspectRatio === undefined && (hasSize || size === 'auto'))) return {}
  if (aspectRatio === undefined) return { aspectRatio: 1, isUsualRatio: true }
  const [width, height] = aspectRatio.split(':').map(Number) as [number, number]
  return { aspectRatio: width / height }
}

const places: Partial<Record<ImageSetting, string>> = {
  aspect_ratio: 'aspectRatio',
  background: 'transparent',
}

const paramOf = (setting: ImageSetting): string => places[setting] ?? setting

const referenceTypes = ['image/png', 'image/jpeg', 'image/webp']

/**
 * The reference pictures, decoded one after the other. Each text is freed once its bytes exist, so that two large bodies at once stay within their
 * memory.
 */
async function referencesOf(context: DrawContext): Promise<Media[]> {
  const { reference, references } = context.body
  const { accountId } = context.caller
  if (reference && references)
    fail('INVALID_REQUEST', { why: reasons.bothReferences }, { param: 'reference' })
  let bytes = 0
  const read = async (from: { dataUrl: string }, place: string): Promise<Media> => {
    const { dataUrl } = from
    from.dataUrl = ''
    const field = { types: referenceTypes, param: `${place}.dataUrl`, accountId }
    const picture = await largePicture(dataUrl, { ...field, characters: maxReferenceCharacters })
    bytes += picture.data!.length
    await context.reserveMemory(bytes)
    return picture
  }
  if (reference) return [await read(reference, 'reference')]
  const media: Media[] = []
  for (const [index, one] of (references ?? []).entries()) media.push(await read(one, `references.${index}`))
  return media
}
