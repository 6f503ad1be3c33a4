/** Reference pictures, as they leave this server: upright, of bounded size, and without what a camera wrote beside the pixels. */
import type { Media } from '#core/turn'

/** No model uses more pixels a side. */
const maxSide = 2_048
/** A few bytes can claim any size; 64 megapixels are 256 MB decoded. */
const maxPixels = 64_000_000
const quality = 92

/**
 * Encodes the picture anew: JPEG stays JPEG, all else becomes PNG, which every upstream reads; only the first picture of an animation is kept.
 * Nothing but its pixels is left: no EXIF, no place, no text. Undefined where its bytes cannot be decoded to their end, or have too many pixels.
 */
export const referencePicture = (picture: Media): Promise<Media | undefined> => encodedAnew(picture, maxSide)

/**
 * The same picture with its pixels turned as its EXIF says, beside which no EXIF is left: models that read none see it lie otherwise than its mask.
 * A picture that states no orientation, or cannot be decoded to its end, is returned as it is.
 */
export async function uprightPicture(picture: Media): Promise<Media> {
  return (await isTurned(picture))
    ? ((await encodedAnew(picture, Number.POSITIVE_INFINITY)) ?? picture)
    : picture
}

async function isTurned({ data }: Media): Promise<boolean> {
  const { default: sharp } = await import('sharp')
  const { orientation = 1 } = await sharp(data)
    .metadata()
    .catch(() => ({ orientation: 1 }))
  return orientation !== 1
}

async function encodedAnew({ data, mediaType, param }: Media, side: number): Promise<Media | undefined> {
  const { default: sharp } = await import('sharp')
  const isJpeg = mediaType === 'image/jpeg'
  const options = {
    failOn: 'truncated',
    limitInputPixels: maxPixels,
    autoOrient: true,
    sequentialRead: true,
  } as const
  try {
    const read = sharp(data, options)
    const bounded = Number.isFinite(side)
      ? read.resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
      : read
    const written = await bounded
      .toColourspace('srgb')
      .toFormat(isJpeg ? 'jpeg' : 'png', isJpeg ? { quality } : {})
      .toBuffer({ resolveWithObject: true })
    return {
      data: written.data,
      mediaType: isJpeg ? 'image/jpeg' : 'image/png',
      width: written.info.width,
      height: written.info.height,
      ...(param !== undefined && { param }),
    }
  } catch {
    return undefined
  }
}
