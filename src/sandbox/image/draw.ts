/** Renders a poster and encodes it in its format. All of the work is done off the event loop, in the thread pools of resvg and libvips. */
import type { DrawnFormat, PixelSize } from '#core/turn'
import { fontFiles } from './font.ts'
import { origin, type PosterOptions, posterOf } from './poster.ts'

export interface DrawOptions extends Omit<PosterOptions, 'overPictures' | 'isForReaders'> {
  format: DrawnFormat
  /** Input images: they become the backdrop of a raster, side by side. */
  references: readonly Uint8Array[]
}

export async function draw(options: DrawOptions): Promise<Uint8Array> {
  const { size, references, format, background } = options
  if (format === 'svg') return Buffer.from(posterOf({ ...options, overPictures: false, isForReaders: true }))
  // The libraries are loaded on first use: a server that draws nothing does not need them.
  const [{ renderAsync }, { default: sharp }] = await Promise.all([
    import('@resvg/resvg-js'),
    import('sharp'),
  ])
  const svg = posterOf({ ...options, overPictures: references.length > 0, isForReaders: false })
  const font = { loadSystemFonts: false, fontFiles, defaultFontFamily: 'Vazirmatn' }
  const { pixels } = await renderAsync(svg, { font })
  const poster = sharp(pixels, { raw: { ...size, channels: 4, premultiplied: true } })
  const document =
    references.length === 0
      ? poster
      : sharp(await overReferences(await poster.png().toBuffer(), references, size))
  const flat = background === 'transparent' ? document : document.flatten({ background: '#fff' })
  return flat
    .toFormat(format, format === 'png' ? { compressionLevel: 6 } : { quality: 90 })
    .withXmp(origin)
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
