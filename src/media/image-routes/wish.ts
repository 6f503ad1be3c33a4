/** Reads the fields of OpenAI's images routes. */
import { requirePrompt } from '#core/calls'
import { type ImageModel, parsePixelSize } from '#core/models'
import type { ImageOption, Media } from '#core/turn'
import { type ImageSetting, type ImageSpec, usualOptions } from '#media/images'
import { fail } from '#platform/errors'
import { reasons } from './phrases.ts'
import { type GenerationBody, unsupportedFields } from './schema.ts'

/** The requested picture. Throws INVALID_REQUEST with the field. */
export function imageSpecOf(
  body: GenerationBody,
  references: readonly Media[],
  places: SettingParams = {},
): ImageSpec {
  requireStreamable(body)
  requireNoMask(body)
  const unsupported = unsupportedFields.find((field) => body[field] != null)
  if (unsupported) fail('INVALID_REQUEST', { why: reasons.noModel }, { param: unsupported })
  const { prompt, background, output_format: format, output_compression: compression } = body
  const size = parsePixelSize(body.size ?? '')
  const aspectRatio = ratioOf(body.aspect_ratio)
  const quality = qualityOf(body.quality ?? 'auto')
  return {
    prompt: imagePromptOf(prompt),
    references,
    action: 'auto',
    count: body.n ?? 1,
    ...(size && { size }),
    ...(aspectRatio && { aspectRatio }),
    fit: 'pad',
    ...(quality && { quality }),
    format: format ?? 'png',
    ...compressionOf(compression, format ?? 'png'),
    ...(background && background !== 'auto' && { background }),
    ...(body.partial_images && { partials: body.partial_images }),
    ...(body.seed != null && { seed: body.seed }),
    where: paramResolver(places),
  }
}

/**
 * The settings that are passed on to the vendor as they were sent. `endpoint` names those that this endpoint of OpenAI's has; what the model's wire
 * does not have as well is `ignored`, and a value that asks for nothing is neither.
 */
export function optionsOf(
  model: Pick<ImageModel, 'options'>,
  fields: Partial<Record<ImageOption, string | null | undefined>>,
  endpoint: readonly ImageOption[],
): { options: NonNullable<ImageSpec['options']>; ignored: ImageOption[] } {
  const asked = (Object.keys(usualOptions) as ImageOption[]).filter(
    (name) => fields[name] != null && fields[name] !== usualOptions[name],
  )
  const isSent = (name: ImageOption) => endpoint.includes(name) && model.options?.includes(name) === true
  return {
    options: Object.fromEntries(asked.filter(isSent).map((name) => [name, fields[name]!])),
    ignored: asked.filter((name) => !isSent(name)),
  }
}

/** The ratio of width to height that a text such as `16:9` names; undefined for `auto`. */
export function ratioOf(named: string | null | undefined): number | undefined {
  if (!named || named === 'auto') return undefined
  const [width, height] = named.split(':').map(Number) as [number, number]
  return width / height
}

export type SettingParams = Partial<Record<ImageSetting, string>>

export const paramResolver =
  (places: SettingParams) =>
  (setting: ImageSetting): string =>
    ({ count: 'n', format: 'output_format', ...places })[setting] ?? setting

/** The prompt. Throws INVALID_REQUEST for a blank one. */
export const imagePromptOf = (prompt: string): string => requirePrompt(prompt, reasons.blank)

/** Throws INVALID_REQUEST for a mask in JSON. */
export function requireNoMask({ mask }: { mask?: unknown }): void {
  if (mask != null) fail('INVALID_REQUEST', { why: reasons.maskInForm }, { param: 'mask' })
}

/** Throws INVALID_REQUEST for fields that only a streamed answer has, or that it cannot have. */
export function requireStreamable(
  body: Pick<GenerationBody, 'stream' | 'n' | 'response_format' | 'partial_images'>,
): void {
  const { stream, n, response_format: format, partial_images: partials } = body
  if (stream && (n ?? 1) > 1) fail('INVALID_REQUEST', { why: reasons.oneInStream }, { param: 'n' })
  if (stream && format === 'url')
    fail('INVALID_REQUEST', { why: reasons.noAddressInStream }, { param: 'response_format' })
  if (!stream && partials) fail('INVALID_REQUEST', { why: reasons.onlyInStream }, { param: 'partial_images' })
}

/** Maps the quality names of older clients. */
export function qualityOf(named: NonNullable<GenerationBody['quality']>): ImageSpec['quality'] {
  if (named === 'auto' || named === 'standard') return undefined
  return named === 'hd' ? 'high' : named
}

const lossless = 100

export function compressionOf(
  compression: number | null | undefined,
  format: ImageSpec['format'],
): Pick<ImageSpec, 'compression'> {
  if (compression === undefined || compression === null) return {}
  if (format !== 'jpeg' && format !== 'webp') {
    if (compression === lossless) return {}
    fail('INVALID_REQUEST', { why: reasons.losslessPng }, { param: 'output_compression' })
  }
  return { compression: Math.max(1, compression) }
}
