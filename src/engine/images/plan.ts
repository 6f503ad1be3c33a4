/** A wish held against a model: what its upstream is asked for and what is done to the picture afterwards. */
import { type ImageModel, isSameSize, sizeName } from '#engine/models'
import type { ImageBackground, ImageFormat, ImageOrder, ImageQuality, PixelSize } from '#engine/turn'
import { fail } from '#platform/errors'
import type { ImageSetting, ImageSpec, Sizing } from './images.ts'
import { areAlike, isPossible, maxAspectRatio, maxPixels, planSize, sideRange } from './size.ts'

export interface ImagePlan {
  order: ImageOrder
  action: 'generate' | 'edit'
  /** What the caller is told; absent where the model has but one. */
  quality: ImageQuality | undefined
  background: ImageBackground | undefined
  format: ImageFormat
  /** Exactly so in the end. */
  frame: PixelSize | undefined
  fit: 'pad' | 'crop'
  source: Sizing['source']
}

/** Throws IMAGE_SETTING_NOT_SUPPORTED, IMAGE_SIZE_CONFLICT or NOTHING_TO_EDIT, each with the place of what is at fault. */
export function planFor(model: ImageModel, asked: ImageSpec): ImagePlan {
  const { image } = model
  // Who orders a new picture wants none of those before it looked at.
  const wish = asked.action === 'generate' ? { ...asked, references: [] } : asked
  const action = actionOf(wish)
  requireRoom(model, wish)
  requireShape(model, wish)
  const quality = qualityOf(model, wish)
  const background = backgroundOf(model, wish)
  const { drawn, frame, source } = planSize(image.sizes, wish)
  return {
    order: {
      prompt: wish.prompt,
      references: wish.references,
      count: wish.count,
      size: drawn,
      ...(quality && { quality }),
      ...(background && image.backgrounds.includes(background) && { background }),
      ...formatAsked(image.formats, wish),
      ...(image.responseFormat && { responseFormat: image.responseFormat }),
    },
    action,
    quality,
    background,
    format: wish.format,
    frame,
    fit: wish.fit,
    source,
  }
}

function actionOf({ action, references, where }: ImageSpec): 'generate' | 'edit' {
  if (action === 'edit' && references.length === 0) fail('NOTHING_TO_EDIT', {}, { param: where('action') })
  return references.length > 0 ? 'edit' : 'generate'
}

function requireRoom(model: ImageModel, { references, count, where }: ImageSpec): void {
  const { maxReferences, maxCount } = model.image
  if (references.length > maxReferences)
    refuse(model, 'references', String(references.length), [`0–${maxReferences}`], where)
  if (count > maxCount) refuse(model, 'count', String(count), [`1–${maxCount}`], where)
}

function requireShape(model: ImageModel, { size, aspectRatio, where }: ImageSpec): void {
  if (size && !isPossible(size) && !model.image.sizes.some((known) => isSameSize(known, size)))
    refuse(model, 'size', sizeName(size), ['auto', ...model.image.sizes.map(sizeName), possibleSizes], where)
  if (aspectRatio === undefined) return
  if (Math.max(aspectRatio, 1 / aspectRatio) > maxAspectRatio)
    refuse(
      model,
      'aspect_ratio',
      `${Number(Math.max(aspectRatio, 1).toFixed(3))}:${Number(Math.max(1 / aspectRatio, 1).toFixed(3))}`,
      [`1:${maxAspectRatio}–${maxAspectRatio}:1`],
      where,
    )
  if (size && !areAlike(size.width / size.height, aspectRatio))
    fail('IMAGE_SIZE_CONFLICT', {}, { param: where('aspect_ratio') })
}

const { min, max } = sideRange
const possibleSizes = `${min}x${min}–${max}x${max} (≤ ${maxPixels} px)`

/** Nobody's wish is the middle one, as everywhere in the contract; a model of one quality is not asked for any. */
function qualityOf(model: ImageModel, { quality, where }: ImageSpec): ImageQuality | undefined {
  const { qualities } = model.image
  if (quality === undefined) return qualities.includes('medium') ? 'medium' : qualities[0]
  if (qualities.includes(quality)) return quality
  return refuse(model, 'quality', quality, ['auto', ...qualities], where)
}

/** A backdrop is what every model draws; none at all is an ability, and a format that can carry it. */
function backgroundOf(
  model: ImageModel,
  { background, format, where }: ImageSpec,
): ImageBackground | undefined {
  if (background !== 'transparent') return background
  if (!model.image.backgrounds.includes('transparent'))
    return refuse(model, 'background', background, ['auto', 'opaque'], where)
  if (format === 'jpeg') refuse(model, 'background', 'transparent (jpeg)', ['png', 'webp'], where)
  return background
}

/** A format that the upstream does not write is made of what it does, best of one that loses nothing. */
function formatAsked(
  formats: readonly ImageFormat[],
  { format, background }: ImageSpec,
): { format?: ImageFormat } {
  if (formats.includes(format)) return { format }
  const lossless = formats.find((one) => one === 'png') ?? formats.find((one) => one === 'webp')
  const other = lossless ?? (background === 'transparent' ? undefined : formats[0])
  return other ? { format: other } : {}
}

const refuse = (
  model: ImageModel,
  setting: ImageSetting,
  value: string,
  supported: string[],
  where: ImageSpec['where'],
): never =>
  fail(
    'IMAGE_SETTING_NOT_SUPPORTED',
    { model: model.id, setting, value, supported },
    { param: where(setting) },
  )
