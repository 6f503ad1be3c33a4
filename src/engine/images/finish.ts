/** Converts the upstream's picture to the requested format and size. One that needs no change is passed on byte for byte, with its provenance metadata. */
import { measure } from '#engine/media'
import { isSameSize } from '#engine/models'
import type { ImageFormat, PixelSize } from '#engine/turn'
import { UpstreamError } from '#providers/spec'
import type { Picture, Sizing } from './images.ts'
import type { ImagePlan } from './plan.ts'

/** Maximum pixels of a picture that is decoded here: a few bytes can claim any size. */
const maxPixelsDecoded = 64_000_000
const lossyQuality = 90

/** Off the event loop (libvips has threads of its own). Throws `UpstreamError` malformed for what cannot be decoded. */
export async function finishPicture(bytes: Uint8Array, plan: ImagePlan): Promise<Picture> {
  const { mediaType, width = 0, height = 0 } = measure(bytes) ?? {}
  if (width * height > maxPixelsDecoded) throw malformed('a picture of too many pixels')
  const source = { width, height }
  const frame = plan.frame && !isSameSize(plan.frame, source) ? plan.frame : undefined
  const fit = frame ? plan.fit : 'native'
  const sizing = { source: plan.source, fit, sourceWidth: width, sourceHeight: height } satisfies Sizing
  const wanted = `image/${plan.format}` as const
  if (!frame && mediaType === wanted && width > 0) return { bytes, mediaType, ...source, sizing }
  try {
    const finished = await converted(bytes, plan, frame)
    return { bytes: finished.data, mediaType: wanted, ...finished.size, sizing }
  } catch (cause) {
    throw malformed('a picture that cannot be decoded', cause)
  }
}

async function converted(
  bytes: Uint8Array,
  { fit, format, background }: ImagePlan,
  frame: PixelSize | undefined,
): Promise<{ data: Buffer; size: PixelSize }> {
  const { default: sharp } = await import('sharp')
  const clear = background === 'transparent' && format !== 'jpeg'
  const paper = clear ? { r: 255, g: 255, b: 255, alpha: 0 } : '#ffffff'
  let image = sharp(bytes, { limitInputPixels: maxPixelsDecoded, autoOrient: true })
  // The content is never distorted: two sides are cropped, or padded with the background colour.
  if (frame) image = image.resize({ ...frame, fit: fit === 'crop' ? 'cover' : 'contain', background: paper })
  if (!clear && (format === 'jpeg' || background === 'opaque')) image = image.flatten({ background: paper })
  const { data, info } = await image.toFormat(format, optionsOf(format)).toBuffer({ resolveWithObject: true })
  return { data, size: { width: info.width, height: info.height } }
}

const optionsOf = (format: ImageFormat): object => (format === 'png' ? {} : { quality: lossyQuality })

const malformed = (detail: string, cause?: unknown): UpstreamError =>
  new UpstreamError('malformed', { detail, cause })
