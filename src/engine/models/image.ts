/** What an image model can be asked for, and what its pictures cost. */
import type { ImageQuality, PixelSize } from '#engine/turn'
import type { ImagePricingConfig, ImageSettingsConfig } from '#platform/config'

export type ImageSettings = ImageSettingsConfig
export type ImagePricing = ImagePricingConfig

/** USD of one picture: the first row that fits, else the price of all others. */
export function imagePrice(
  pricing: ImagePricing,
  picture: { quality?: ImageQuality | undefined; size: PixelSize },
): number {
  const row = pricing.rows.find(
    ({ quality, size }) =>
      (quality === undefined || quality === picture.quality) && (!size || isSameSize(size, picture.size)),
  )
  return row?.perImage ?? pricing.perImage
}

export const isSameSize = (a: PixelSize, b: PixelSize): boolean =>
  a.width === b.width && a.height === b.height

/** As every wire writes it: `1024x1536`. */
export const sizeName = ({ width, height }: PixelSize): string => `${width}x${height}`

/** What `sizeName` wrote, in whatever of its usual spellings; undefined for anything else. */
export function sizeOf(text: string): PixelSize | undefined {
  const [, width, height] = /^([1-9]\d{0,4})[x×]([1-9]\d{0,4})$/i.exec(text) ?? []
  return width === undefined ? undefined : { width: Number(width), height: Number(height) }
}

/** The shapes of these sizes in their lowest terms, each once: `1:1`, `3:2`. */
export const aspectRatiosOf = (sizes: readonly PixelSize[]): string[] => [
  ...new Set(
    sizes.map(({ width, height }) => {
      const common = commonDivisor(width, height)
      return `${width / common}:${height / common}`
    }),
  ),
]

const commonDivisor = (a: number, b: number): number => (b === 0 ? a : commonDivisor(b, a % b))
