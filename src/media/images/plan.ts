/** Plans an image request for a model: the order to its upstream and the conversion of the picture afterwards. */
import { type ImageModel, isSameSize, requestableFormats, sizeName } from '#core/models'
import type {
  DrawnFormat,
  ImageBackground,
  ImageOption,
  ImageOrder,
  ImageQuality,
  PixelSize,
} from '#core/turn'
import { fail } from '#platform/errors'
import type { ImageSetting, ImageSpec, Sizing } from './images.ts'
import { reasons } from './phrases.ts'
import { isPossibleSize, isSameRatio, maxAspectRatio, maxPixels, planSize, sideRange } from './size.ts'

export interface ImagePlan {
  order: ImageOrder
  action: 'generate' | 'edit'
  /** The quality that is reported to the caller; undefined when the model has only one. */
  quality: ImageQuality | undefined
  background: ImageBackground | undefined
  format: DrawnFormat
  /** The quality in which JPEG and WebP are encoded again; 100 alone is no reason to encode them again. */
  compression?: number
  /** The exact size of the finished picture. */
  frame: PixelSize | undefined
  /** The ratio of width to height of the finished picture, where no exact size is set. */
  ratio?: number
  fit: 'pad' | 'crop'
  source: Sizing['source']
}

/** A model, its order, and the plan by which its pictures are finished. */
export interface ImageCandidate {
  model: ImageModel
  order: ImageOrder
  plan: ImagePlan
}

/**
 * Throws IMAGE_SETTING_NOT_SUPPORTED, IMAGE_SIZE_CONFLICT, IMAGE_SEED_NOT_SUPPORTED, NOTHING_TO_EDIT, or INVALID_REQUEST for a mask, each with the path
 * of the setting at fault.
 */
export function planFor(model: ImageModel, request: ImageSpec): ImagePlan {
  const { image } = model
  // `generate` ignores the pictures of earlier turns.
  const spec = request.action === 'generate' ? { ...request, references: [] } : request
  const action = actionOf(spec)
  requireReferenceCount(model, spec)
  requireShape(model, spec)
  requireSeed(model, spec)
  requireOptions(model, spec)
  if (spec.mask) requireMasks(model, spec.where('mask'))
  const quality = qualityOf(model, spec)
  const format = formatOf(model, spec)
  const background = backgroundOf(model, spec)
  const { drawn, frame, ratio, source } = planSize(image.sizes, spec)
  const partials = Math.min(spec.partials ?? 0, image.maxPartials)
  return {
    order: {
      prompt: spec.prompt,
      references: spec.references,
      ...(spec.mask && action === 'edit' && { mask: spec.mask }),
      count: spec.count,
      size: drawn,
      ...(quality && { quality }),
      ...(background && image.backgrounds.includes(background) && { background }),
      ...upstreamFormatOf(image.formats, format, background),
      ...(image.responseFormat && { responseFormat: image.responseFormat }),
      ...(partials > 0 && { partials }),
      ...(spec.seed !== undefined && { seed: spec.seed }),
      ...(spec.options && Object.keys(spec.options).length > 0 && { options: spec.options }),
    },
    action,
    quality,
    background,
    format,
    ...(spec.compression !== undefined && { compression: spec.compression }),
    frame,
    ...(ratio !== undefined && { ratio }),
    fit: spec.fit,
    source,
  }
}

function actionOf({ action, references, where }: ImageSpec): 'generate' | 'edit' {
  if (action === 'edit' && references.length === 0) fail('NOTHING_TO_EDIT', {}, { param: where('action') })
  return references.length > 0 ? 'edit' : 'generate'
}

function requireReferenceCount(model: ImageModel, { references, where }: ImageSpec): void {
  const { maxReferences } = model.image
  if (references.length > maxReferences)
    refuse(model, 'references', String(references.length), [`0–${maxReferences}`], where)
}

function requireShape(model: ImageModel, { size, aspectRatio, where }: ImageSpec): void {
  if (size && !isPossibleSize(size) && !model.image.sizes.some((known) => isSameSize(known, size)))
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
  if (size && !isSameRatio(size.width / size.height, aspectRatio))
    fail('IMAGE_SIZE_CONFLICT', {}, { param: where('aspect_ratio') })
}

function requireSeed({ id, image }: ImageModel, { seed, where }: ImageSpec): void {
  if (seed !== undefined && !image.takesSeed)
    fail('IMAGE_SEED_NOT_SUPPORTED', { model: id }, { param: where('seed') })
}

/** The values that ask for nothing, which every model takes. */
export const usualOptions: Readonly<Record<ImageOption, string>> = {
  moderation: 'auto',
  style: 'vivid',
  input_fidelity: 'low',
}

function requireOptions(model: ImageModel, { options = {}, where }: ImageSpec): void {
  for (const [name, value] of Object.entries(options) as [ImageOption, string][])
    if (!model.options?.includes(name)) refuse(model, name, value, [usualOptions[name]], where)
}

/** Throws INVALID_REQUEST for a model that takes no mask. */
export function requireMasks({ id, image }: Pick<ImageModel, 'id' | 'image'>, param: string): void {
  if (!image.takesMasks) fail('INVALID_REQUEST', { why: reasons.noMasks(id) }, { param })
}

const { min, max } = sideRange
const possibleSizes = `${min}x${min}–${max}x${max} (≤ ${maxPixels} px)`

/** The quality to draw in. Default: medium, as everywhere in the contract, or else the model's first quality. */
function qualityOf(model: ImageModel, { quality, where }: ImageSpec): ImageQuality | undefined {
  const { qualities } = model.image
  if (quality === undefined) return qualities.includes('medium') ? 'medium' : qualities[0]
  if (qualities.includes(quality)) return quality
  return refuse(model, 'quality', quality, ['auto', ...qualities], where)
}

/** The background to draw. Every model draws an opaque one; a transparent one needs support by the model and by the format. */
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

/** The format of the answer. A raster of any format can be made of any other, and of SVG; a drawing cannot be made of a raster. */
function formatOf(model: ImageModel, { format, where }: ImageSpec): DrawnFormat {
  const answered = requestableFormats(model.image.formats)
  if (format === 'auto') return answered[0]!
  return answered.includes(format) ? format : refuse(model, 'format', format, answered, where)
}

/** The format to request upstream: the wanted one if supported, else a lossless one to convert from. */
function upstreamFormatOf(
  formats: readonly DrawnFormat[],
  format: DrawnFormat,
  background: ImageBackground | undefined,
): { format?: DrawnFormat } {
  if (formats.includes(format)) return { format }
  const lossless = (['png', 'webp', 'svg'] as const).find((one) => formats.includes(one))
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
