/** Converts rasters to a wanted size and format. */
import type { Metadata, Sharp } from 'sharp'
import { isTooLarge, type Origin, originIn, originXmp, sniff } from '#core/media'
import { isSameSize } from '#core/models'
import type { ImageFormat, PixelSize } from '#core/turn'
import type { Picture, Sizing } from './images.ts'
import type { ImagePlan } from './plan.ts'
import { frameFor } from './size.ts'
import { requireWhole } from './whole.ts'

/** A few bytes can claim any size; 64 megapixels are 256 MB decoded. */
const maxPixelsDecoded = 64_000_000
const lossyQuality = 90
/** The quality at which nothing is gained by encoding the picture again. */
const bestQuality = 100

/**
 * The picture in the planned size and format. `source` is its size as people see it. `origin` is given for a picture that was drawn here, which has
 * no mark of its own. Throws a RangeError for too many pixels, and what libvips throws.
 */
export async function finishRaster(
  bytes: Uint8Array,
  source: PixelSize,
  plan: ImagePlan,
  origin?: Origin,
): Promise<Picture> {
  const { format, compression, fit, source: decidedBy, background } = plan
  const { width, height } = source
  if (isTooLarge(source) || width * height > maxPixelsDecoded)
    throw new RangeError('a picture of too many pixels')
  const { default: sharp } = await import('sharp')
  const open = (): Sharp => sharp(bytes, { limitInputPixels: maxPixelsDecoded, autoOrient: true })
  const frame = frameFor(source, plan)
  const change = changeOf(source, frame, fit)
  const sizing: Sizing = {
    source: decidedBy,
    fit: change === 'pad' || change === 'crop' ? change : 'native',
    sourceWidth: width,
    sourceHeight: height,
  }
  const outputFormat = format === 'svg' ? 'png' : format
  const mediaType = `image/${outputFormat}` as const
  const isGoodEnough = compression === undefined || compression === bestQuality
  const isAsRequested = !origin && isGoodEnough && change === 'none' && sniff(bytes) === mediaType
  const metadata = await open().metadata()
  if (isAsRequested && isPlain(metadata)) {
    await requireWhole(bytes, maxPixelsDecoded)
    return { bytes, mediaType, width, height, sizing }
  }
  const clear = background === 'transparent' && outputFormat !== 'jpeg'
  const paper = clear ? nothing : change === 'pad' ? await edgeColour(open(), source, frame!) : white
  let image = open()
  if (frame && change !== 'none')
    image = image.resize({ ...frame, fit: change === 'pad' ? 'contain' : 'cover', background: paper })
  if (!clear && (outputFormat === 'jpeg' || background === 'opaque'))
    image = image.flatten({ background: paper })
  const { data, info } = await image
    .toFormat(outputFormat, optionsOf(outputFormat, compression))
    .withXmp(originXmp(origin ?? originIn(metadata.xmpAsString)))
    .toBuffer({ resolveWithObject: true })
  return { bytes: data, mediaType, width: info.width, height: info.height, sizing }
}

const optionsOf = (format: ImageFormat, quality = lossyQuality): object =>
  format === 'png' ? {} : { quality }

/** Whether the picture is upright, and in colours that every viewer shows as they are. */
const isPlain = ({ orientation = 1, hasProfile, space }: Metadata): boolean =>
  orientation === 1 && !hasProfile && space !== 'cmyk'

/** How the picture must change to fill the frame: where both have one ratio, up to a rounded pixel, it is only scaled. */
export function changeOf(
  source: PixelSize,
  frame: PixelSize | undefined,
  fit: ImagePlan['fit'],
): 'none' | 'scale' | ImagePlan['fit'] {
  if (!frame || isSameSize(frame, source)) return 'none'
  const height = Math.round((source.height * frame.width) / source.width)
  const width = Math.round((source.width * frame.height) / source.height)
  return height === frame.height || width === frame.width ? 'scale' : fit
}

interface Colour {
  r: number
  g: number
  b: number
  alpha: number
}
const white: Colour = { r: 255, g: 255, b: 255, alpha: 1 }
const nothing: Colour = { ...white, alpha: 0 }

const samples = 64
/** The most that a channel (0 to 255) may differ; JPEG changes an even colour by less. */
const tolerance = 12
const enough = 0.9

/** The colour of the two edges beside the padding, where nearly all their pixels have one; else white. */
async function edgeColour(image: Sharp, source: PixelSize, frame: PixelSize): Promise<Colour> {
  const isSideways = frame.width * source.height > frame.height * source.width
  const pixels = await image
    .resize(samples, samples, { fit: 'fill', kernel: 'nearest' })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer()
  const edge = [0, samples - 1].flatMap((near) =>
    Array.from({ length: samples }, (_, along) => {
      const at = 4 * (isSideways ? along * samples + near : near * samples + along)
      return [...pixels.subarray(at, at + 4)] as [number, number, number, number]
    }),
  )
  const middle = (channel: number): number =>
    edge.map((pixel) => pixel[channel]!).sort((a, b) => a - b)[edge.length / 2]!
  const [r, g, b] = [middle(0), middle(1), middle(2)]
  const alike = edge.filter(
    (pixel) =>
      pixel[3] === 255 && [r, g, b].every((value, channel) => Math.abs(pixel[channel]! - value) <= tolerance),
  )
  return alike.length >= enough * edge.length ? { r, g, b, alpha: 1 } : white
}
