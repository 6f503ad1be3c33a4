/** Renders a poster and encodes it in its format. All of the work is done off the event loop, in the thread pools of resvg and libvips. */
import type { DrawnFormat, PixelSize } from '#core/turn'
import { fontFiles } from './font.ts'
import { origin, type PosterOptions, posterOf } from './poster.ts'

export interface DrawOptions extends Omit<PosterOptions, 'overPictures' | 'isForReaders'> {
  format: DrawnFormat
  /** Input images: they become the backdrop of a raster, side by side. */
  references: readonly Uint8Array[]
  /** The first input image stays as it is where this one is not transparent, and the others are the backdrop of the rest. */
  mask?: Uint8Array | undefined
}

export async function draw(options: DrawOptions): Promise<Uint8Array> {
  const { size, references, format, background, mask } = options
  if (format === 'svg') return Buffer.from(posterOf({ ...options, overPictures: false, isForReaders: true }))
  // The libraries are loaded on first use: a server that draws nothing does not need them.
  const [{ renderAsync }, { default: sharp }] = await Promise.all([
    import('@resvg/resvg-js'),
    import('sharp'),
  ])
  const overPictures = references.length > (mask ? 1 : 0)
  const svg = posterOf({ ...options, overPictures, isForReaders: false })
  const font = { loadSystemFonts: false, fontFiles, defaultFontFamily: 'Vazirmatn' }
  const { pixels } = await renderAsync(svg, { font })
  const poster = sharp(pixels, { raw: { ...size, channels: 4, premultiplied: true } })
  const document =
    references.length === 0 ? poster : sharp(await withReferences(await poster.png().toBuffer(), options))
  const flat = background === 'transparent' ? document : document.flatten({ background: '#fff' })
  return flat
    .toFormat(format, format === 'png' ? { compressionLevel: 6 } : { quality: 90 })
    .withXmp(origin)
    .toBuffer()
}

async function withReferences(poster: Buffer, { references, mask, size }: DrawOptions): Promise<Buffer> {
  if (!mask) return overReferences(poster, references, size)
  const [picture, ...others] = references
  const drawn = others.length === 0 ? poster : await overReferences(poster, others, size)
  return withinMask(drawn, { picture: picture!, mask, size })
}

interface MaskedPicture {
  picture: Uint8Array
  mask: Uint8Array
  size: PixelSize
}

/** The picture with what was drawn only where the mask is transparent; where it is half so, half of each. */
async function withinMask(drawn: Buffer, { picture, mask, size }: MaskedPicture): Promise<Buffer> {
  const { default: sharp } = await import('sharp')
  const cover = { ...size, fit: 'cover' } as const
  const [kept, input] = await Promise.all([
    sharp(picture, { autoOrient: true }).resize(cover).ensureAlpha().png().toBuffer(),
    // The edges of a mask stay sharp: each pixel is one of the mask.
    sharp(mask)
      .resize({ ...cover, kernel: 'nearest' })
      .ensureAlpha()
      .png()
      .toBuffer(),
  ])
  const [outside, inside] = await Promise.all([
    sharp(kept)
      .composite([{ input, blend: 'dest-in' }])
      .png()
      .toBuffer(),
    sharp(drawn)
      .composite([{ input, blend: 'dest-out' }])
      .png()
      .toBuffer(),
  ])
  return sharp(inside)
    .composite([{ input: outside, blend: 'add' }])
    .png()
    .toBuffer()
}

async function overReferences(
  poster: Uint8Array,
  references: readonly Uint8Array[],
  size: PixelSize,
): Promise<Buffer> {
  const { default: sharp } = await import('sharp')
  const { width, height } = size
  const edge = (index: number): number => Math.round((width * index) / references.length)
  const bands = await Promise.all(
    references.map(async (bytes, index) => ({
      input: await sharp(bytes, { autoOrient: true })
        .resize(Math.max(1, edge(index + 1) - edge(index)), height, { fit: 'cover' })
        .png()
        .toBuffer(),
      left: edge(index),
      top: 0,
    })),
  )
  const canvas = { width, height, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } as const
  return sharp({ create: canvas })
    .composite([...bands, { input: Buffer.from(poster), left: 0, top: 0 }])
    .png()
    .toBuffer()
}
