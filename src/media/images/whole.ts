/** Proves that a raster is whole: a file that ends early still has a good header, and many viewers show what is there. */

/** Decodes the whole picture, off the event loop (libvips has threads of its own). Throws what libvips throws. */
export async function requireWhole(bytes: Uint8Array, maxPixels: number): Promise<void> {
  const { default: sharp } = await import('sharp')
  // Every row contributes to a smaller picture, and only that one is kept in memory.
  await sharp(bytes, { failOn: 'truncated', limitInputPixels: maxPixels, sequentialRead: true })
    .resize(8, 8, { fit: 'fill' })
    .raw()
    .toBuffer()
}
