/** Proves that a picture of an upstream is whole: a file that ends early still has a good header, and many viewers show what is there. */
import { UpstreamError } from '#providers/spec'

/** Maximum pixels of a picture that is decoded here: a few bytes can claim any size. */
const maxPixelsDecoded = 64_000_000

/** Decodes all of it, off the event loop (libvips has threads of its own). Throws `UpstreamError` malformed. */
export async function requireWhole(bytes: Uint8Array): Promise<void> {
  const { default: sharp } = await import('sharp')
  try {
    // Every row takes part in a smaller picture, and only that one is kept.
    await sharp(bytes, { failOn: 'truncated', limitInputPixels: maxPixelsDecoded, sequentialRead: true })
      .resize(8, 8, { fit: 'fill' })
      .raw()
      .toBuffer()
  } catch (cause) {
    throw new UpstreamError('malformed', { detail: 'a picture that cannot be decoded to its end', cause })
  }
}
