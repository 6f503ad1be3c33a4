/** Brings a picture to a wanted size without distortion, and below a bound of characters in base64. */

import type { Sharp } from 'sharp'
import { isVast, measure } from '#engine/media'
import type { ImageFormat, PixelSize } from '#engine/turn'

export interface FitOptions {
  /** Absent: as it is. */
  size?: PixelSize
  fit: 'pad' | 'crop'
  format: ImageFormat
  /** Whether padding may be transparent; JPEG has no transparency. */
  transparent?: boolean
}

export interface FittedPicture {
  bytes: Uint8Array
  mediaType: `image/${ImageFormat}`
  sizing: {
    requested?: PixelSize
    native: PixelSize
    delivered: PixelSize
    how: 'none' | 'resized' | 'padded' | 'cropped'
  }
}

/** A few bytes can claim any size; 64 megapixels are 256 MB decoded. */
const maxPixelsDecoded = 64_000_000

/** Off the event loop. Throws a RangeError for more pixels than are decoded, and sharp's error for what is no picture. */
export async function fitPicture(bytes: Uint8Array, options: FitOptions): Promise<FittedPicture> {
  const { size, fit, format, transparent = false } = options
  const { width = 0, height = 0 } = measure(bytes) ?? {}
  const native = { width, height }
  if (isVast(native) || width * height > maxPixelsDecoded || (size && isVast(size)))
    throw new RangeError('A picture of too many pixels')
  const { default: sharp } = await import('sharp')
  const open = (): Sharp => sharp(bytes, { limitInputPixels: maxPixelsDecoded, autoOrient: true })
  const how = howOf(native, size, fit)
  let image = open()
  const clear = transparent && format !== 'jpeg'
  const paper = clear ? { r: 0, g: 0, b: 0, alpha: 0 } : how === 'padded' ? await edgeColour(open()) : '#fff'
  if (size && how !== 'none')
    image = image.resize({ ...size, fit: fit === 'crop' ? 'cover' : 'contain', background: paper })
  if (format === 'jpeg') image = image.flatten({ background: paper })
  const { data, info } = await image
    .toFormat(format, format === 'png' ? {} : { quality: 90 })
    .toBuffer({ resolveWithObject: true })
  const delivered = { width: info.width, height: info.height }
  return {
    bytes: data,
    mediaType: `image/${format}`,
    sizing: { ...(size ? { requested: size } : {}), native, delivered, how },
  }
}

function howOf(native: PixelSize, size: PixelSize | undefined, fit: 'pad' | 'crop') {
  if (!size || (size.width === native.width && size.height === native.height)) return 'none'
  // Sides of one ratio up to a rounded pixel.
  const height = Math.round((native.height * size.width) / native.width)
  const width = Math.round((native.width * size.height) / native.height)
  if (height === size.height || width === size.width) return 'resized'
  return fit === 'pad' ? 'padded' : 'cropped'
}

/** The colour that most of the edge has; white where no colour has half of it, or where the edge is transparent. */
async function edgeColour(image: Sharp): Promise<string> {
  const side = 64
  const pixels = await image.resize(side, side, { fit: 'fill' }).ensureAlpha().raw().toBuffer()
  const counts = new Map<string, number>()
  for (let at = 0; at < side * side; at++) {
    const [x, y] = [at % side, Math.floor(at / side)]
    if (x > 0 && y > 0 && x < side - 1 && y < side - 1) continue
    const [r, g, b, alpha] = pixels.subarray(at * 4, at * 4 + 4)
    const colour = alpha === 255 ? `rgb(${r}, ${g}, ${b})` : '#fff'
    counts.set(colour, (counts.get(colour) ?? 0) + 1)
  }
  const [colour, count] = [...counts].reduce((most, each) => (each[1] > most[1] ? each : most))
  return count * 2 >= 4 * side - 4 ? colour : '#fff'
}

/** The contract's bound on `data` of a picture. */
export const maxPictureCharacters = 24_000_000
const longestSideOfWebp = 16_383

/**
 * The picture as it is when its base64 keeps the bound, else as WebP of falling quality and, last, of half the size again and again.
 * Its pixels must be bounded already.
 */
export async function withinCharacters(
  bytes: Uint8Array,
  limitCharacters = maxPictureCharacters,
): Promise<{ bytes: Uint8Array; recompressed: boolean }> {
  const fits = (each: Uint8Array): boolean => Math.ceil(each.length / 3) * 4 <= limitCharacters
  if (fits(bytes)) return { bytes, recompressed: false }
  const { default: sharp } = await import('sharp')
  const { width = 1, height = 1 } = measure(bytes) ?? {}
  const longest = Math.min(longestSideOfWebp, Math.max(width, height))
  for (const [quality, part] of [
    [90, 1],
    [75, 1],
    [60, 1],
    [60, 2],
    [60, 4],
    [60, 8],
  ] as const) {
    const image = sharp(bytes, { limitInputPixels: maxPixelsDecoded, autoOrient: true })
    const side = Math.max(1, Math.floor(longest / part))
    const data = await image
      .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
      .webp({ quality })
      .toBuffer()
    if (fits(data)) return { bytes: data, recompressed: true }
  }
  throw new RangeError('A picture that cannot be made small enough')
}
