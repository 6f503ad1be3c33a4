/** Fits a picture into the bound of an answer. */
import type { Sharp } from 'sharp'
import { originIn, originXmp } from '#core/media'
import type { Picture } from './images.ts'

/** The most characters of `data` in the contract. */
export const maxPictureCharacters = 24_000_000
const maxSideOfWebp = 16_383

/** The qualities that are tried, each with the divisor of the sides. */
const steps = [
  [90, 1],
  [75, 1],
  [60, 1],
  [60, 2],
  [60, 4],
  [60, 8],
] as const

/**
 * The picture itself where its base64 keeps the bound. Else a WebP, which has transparency too, of falling quality and, last, of falling size:
 * `mediaType`, `width` and `height` are those of the answered picture, `sizing` stays. The picture must be a finished one.
 */
export async function shrinkToLimit(
  picture: Picture,
  maxCharacters = maxPictureCharacters,
): Promise<Picture> {
  const fits = ({ length }: Uint8Array): boolean => Math.ceil(length / 3) * 4 <= maxCharacters
  if (fits(picture.bytes)) return picture
  const { default: sharp } = await import('sharp')
  const xmp = originXmp(originIn((await sharp(picture.bytes).metadata()).xmpAsString))
  const maxSide = Math.min(maxSideOfWebp, Math.max(picture.width, picture.height))
  for (const [quality, part] of steps) {
    const side = Math.max(1, Math.floor(maxSide / part))
    const image: Sharp = sharp(picture.bytes, { limitInputPixels: picture.width * picture.height })
    const { data, info } = await image
      .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
      .webp({ quality })
      .withXmp(xmp)
      .toBuffer({ resolveWithObject: true })
    if (fits(data))
      return { ...picture, bytes: data, mediaType: 'image/webp', width: info.width, height: info.height }
  }
  throw new RangeError('A picture that cannot be made small enough')
}
