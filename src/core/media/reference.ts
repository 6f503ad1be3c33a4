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
export async function referencePicture({ data, mediaType, param }: Media): Promise<Media | undefined> {
  const { default: sharp } = await import('sharp')
  const isJpeg = mediaType === 'image/jpeg'
  try {
    const written = await sharp(data, {
      failOn: 'truncated',
      limitInputPixels: maxPixels,
      autoOrient: true,
      sequentialRead: true,
    })
      .resize({ width: maxSide, height: maxSide, fit: 'inside', withoutEnlargement: true })
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
