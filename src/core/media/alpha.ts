import { hasText, viewOf } from '#core/magic'

/** The most chunks before the pixels that are read; programs write some dozens. */
const maxChunks = 10_000
/** The time to write one mask anew. */
const maxSeconds = 20

/** Whether the pixels of a PNG may be transparent: by an alpha channel, or by a chunk `tRNS` before them (PNG 3, 11.2.1 and 11.3.1). */
export function hasAlpha(png: Uint8Array): boolean {
  const colourType = png[25]
  if (colourType === 4 || colourType === 6) return true
  const view = viewOf(png)
  let at = 8
  for (let chunks = 0; at + 12 <= png.length && chunks < maxChunks; chunks++) {
    if (hasText(png, at + 4, 'tRNS')) return true
    if (hasText(png, at + 4, 'IDAT')) return false
    at += 12 + view.getUint32(at)
  }
  return false
}

/** A mask as models for inpainting read it: white where it is transparent, which is to be changed, and black elsewhere. Throws what libvips throws. */
export async function paintedMask(mask: Uint8Array): Promise<Uint8Array> {
  const { default: sharp } = await import('sharp')
  // Negated with all channels, so that it does not matter which of the two is done first.
  return sharp(mask, { sequentialRead: true })
    .timeout({ seconds: maxSeconds })
    .negate()
    .extractChannel('alpha')
    .toColourspace('b-w')
    .png()
    .toBuffer()
}
