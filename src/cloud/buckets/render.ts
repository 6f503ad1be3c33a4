/** Pictures in the size and form that a page shows. */
import { sniff } from '#core/magic'
import { mediaTypeOf } from '#core/media'
import { fail, type Localized } from '#platform/errors'
import './errors.ts'
import { pictureReasons as reasons } from './phrases.ts'

export interface Transform {
  width?: number | undefined
  height?: number | undefined
  resize: 'cover' | 'contain' | 'fill'
  quality: number
  /** Whether the picture keeps its format where the browser would accept a smaller one. */
  keepsFormat: boolean
}

export interface RenderedPicture {
  bytes: Buffer
  mediaType: string
}

const maxSide = 2_500
const largestSource = 25 * 1024 * 1024
/** A few bytes can claim any size; these are 100 MB decoded. */
const maxPixels = 25_000_000
/** The time to decode and encode one picture, without waiting. */
const maxSeconds = 10
const kinds = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/avif', 'image/gif'])

const tooLarge = reasons.large(largestSource, maxPixels)

const refuse = (why: Localized, param?: string): never =>
  fail('OBJECT_NOT_RENDERED', { why }, param === undefined ? {} : { param })

/** Throws OBJECT_NOT_RENDERED. */
export function transformOf(query: URLSearchParams): Transform {
  const number = (name: string, min: number, max: number, why: Localized): number | undefined => {
    const text = query.get(name)
    if (text === null) return undefined
    const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
    return value >= min && value <= max ? value : refuse(why, name)
  }
  const resize = query.get('resize') ?? 'cover'
  if (resize !== 'cover' && resize !== 'contain' && resize !== 'fill') return refuse(reasons.resize, 'resize')
  const format = query.get('format')
  if (format !== null && format !== 'origin') return refuse(reasons.format, 'format')
  return {
    width: number('width', 1, maxSide, reasons.side(maxSide)),
    height: number('height', 1, maxSide, reasons.side(maxSide)),
    quality: number('quality', 20, 100, reasons.quality) ?? 80,
    resize,
    keepsFormat: format === 'origin',
  }
}

/** Checks a picture before its bytes are read. Throws OBJECT_NOT_RENDERED. */
export function requireRenderable({ bytes, mediaType }: { bytes: number; mediaType: string }): void {
  if (!kinds.has(mediaTypeOf(mediaType))) refuse(reasons.kind)
  if (bytes > largestSource) refuse(tooLarge)
}

/**
 * Renders a picture upright, never larger than its source, and without metadata of a camera; of an animation the first picture. Throws
 * OBJECT_NOT_RENDERED.
 */
export async function renderPicture(
  source: Uint8Array,
  { width, height, resize, quality, keepsFormat }: Transform,
  takesWebp: boolean,
): Promise<RenderedPicture> {
  const kind = kindOf(source)
  if (kind === undefined || !kinds.has(kind)) return refuse(reasons.kind)
  const { default: sharp } = await import('sharp')
  try {
    const picture = sharp(source, { limitInputPixels: maxPixels, autoOrient: true, sequentialRead: true })
    picture.timeout({ seconds: maxSeconds })
    const fit = resize === 'contain' ? 'inside' : resize
    if (width !== undefined || height !== undefined)
      picture.resize({ ...(width && { width }), ...(height && { height }), fit, withoutEnlargement: true })
    const written = kind === 'image/jpeg' ? 'jpeg' : kind === 'image/webp' ? 'webp' : 'png'
    const chosen = takesWebp && !keepsFormat ? 'webp' : written
    const bytes = await picture
      .toColourspace('srgb')
      .toFormat(chosen, chosen === 'png' ? {} : { quality })
      .toBuffer()
    return { bytes, mediaType: `image/${chosen}` }
  } catch (error) {
    const said = String(error)
    if (/pixel limit/i.test(said)) return refuse(tooLarge)
    return refuse(/timeout:/.test(said) ? reasons.slow : reasons.broken)
  }
}

/**
 * Returns the type by the first bytes, whatever the sender calls it: the decoder would take more types, and an SVG of some megabytes holds a core for
 * half a minute and a gigabyte of memory before its size is known.
 */
const kindOf = (bytes: Uint8Array): string | undefined =>
  sniff(bytes) ?? (isAvif(bytes) ? 'image/avif' : undefined)

/** Checks the brand of the file type box, which comes first (ISO 23000-22). */
const isAvif = (bytes: Uint8Array): boolean =>
  /^ftyp(?:avif|avis|mif1|msf1)/.test(Buffer.from(bytes.subarray(4, 12)).toString('latin1'))
