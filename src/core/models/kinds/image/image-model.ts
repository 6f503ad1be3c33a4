/** An image model, what it can be asked for, and what its pictures cost. */
import type { DrawnFormat, ImageBackground, ImageOption, ImageQuality, PixelSize } from '#core/turn'
import type { NamedModel } from '../../models.ts'

/** A model that draws pictures, and edits those it is given where `image.maxReferences` allows any. */
export interface ImageModel extends NamedModel {
  kind: 'image'
  image: ImageSettings
  /** The settings that are passed on to every upstream of the model as the caller wrote them; absent: none. */
  options?: readonly ImageOption[]
  pricing: ImagePricing
}

/** The settings that the upstream of an image model supports. A field whose list is empty is never sent. */
export interface ImageSettings {
  /** The sizes that it draws; the first is drawn where nothing says otherwise. */
  sizes: PixelSize[]
  qualities: ImageQuality[]
  formats: DrawnFormat[]
  backgrounds: ImageBackground[]
  /** The most pictures of one call. */
  maxCount: number
  /** The most pictures that one call can be given to edit; 0: the model edits none. */
  maxReferences: number
  /** True: beside the pictures to edit the model takes a mask, and changes the first of them only where that is transparent. */
  takesMasks: boolean
  /** The most unfinished pictures that the model streams of one picture, where they are requested; 0: it streams none. */
  maxPartials: number
  /** True: the request may have a seed; the same seed gives the same picture. */
  takesSeed: boolean
  /** Sent as `response_format`, to servers that need it. */
  responseFormat?: 'b64_json' | 'url'
}

/** Pictures have a price each, or are paid by the tokens that their upstream counts. */
export type ImagePricing = PicturePricing | ImageTokenPricing

/** Prices in USD. The first row that fits a picture has its price, else `perImage`. */
export interface PicturePricing {
  unit: 'image'
  perImage: number
  rows: ImagePriceRow[]
  /** The price of each picture that is given to edit. */
  perReference: number
  /** The price of each unfinished picture that is sent. */
  perPartial: number
}

export interface ImagePriceRow {
  quality?: ImageQuality
  size?: PixelSize
  perImage: number
}

/**
 * Prices in USD per million tokens, and the tokens that a picture is expected to have: they are known before it is ordered, and charged where the
 * upstream counts none.
 */
export interface ImageTokenPricing {
  unit: 'tokens'
  /** The price of the prompt. */
  inputPerMillion: number
  /** The price of pictures that are given to edit. */
  mediaInputPerMillion: number
  outputPerMillion: number
  expected: ExpectedImageTokens
}

export interface ExpectedImageTokens {
  /** The first row that fits a picture has its tokens, else the row with the most. */
  output: ImageTokenRow[]
  /** The most tokens of each picture that is given to edit. */
  perReference: number
  /** The tokens of each unfinished picture that is sent. */
  perPartial: number
  /** The hold covers this many times the expected tokens: a model that rewrites prompts or plans longer uses more. */
  margin: number
}

export interface ImageTokenRow {
  quality?: ImageQuality
  size?: PixelSize
  tokens: number
}

type PictureVariant = { quality?: ImageQuality | undefined; size: PixelSize }

const fits =
  (picture: PictureVariant) =>
  ({ quality, size }: { quality?: ImageQuality; size?: PixelSize }): boolean =>
    (quality === undefined || quality === picture.quality) && (!size || isSameSize(size, picture.size))

/** The price of one picture in USD: the first row that fits, else the price of all others. */
export const imagePrice = (pricing: PicturePricing, picture: PictureVariant): number =>
  pricing.rows.find(fits(picture))?.perImage ?? pricing.perImage

/** Tokens of one picture: the first row that fits, else the most of all rows. */
export const expectedOutput = ({ output }: ExpectedImageTokens, picture: PictureVariant): number =>
  output.find(fits(picture))?.tokens ?? Math.max(...output.map(({ tokens }) => tokens))

export const isSameSize = (a: PixelSize, b: PixelSize): boolean =>
  a.width === b.width && a.height === b.height

/** The size as every wire writes it: `1024x1536`. */
export const sizeName = ({ width, height }: PixelSize): string => `${width}x${height}`

/** The size in a text of `sizeName`, in any of the usual spellings; undefined for anything else. */
export function parsePixelSize(text: string): PixelSize | undefined {
  const [, width, height] = /^([1-9]\d{0,4})[x×]([1-9]\d{0,4})$/i.exec(text) ?? []
  return width === undefined ? undefined : { width: Number(width), height: Number(height) }
}

const rasters: DrawnFormat[] = ['png', 'jpeg', 'webp']

/** Whether a model writes SVG only: its drawings are answered as SVG unless a raster is named. */
export const isVector = (formats: readonly DrawnFormat[]): boolean =>
  formats.length > 0 && formats.every((one) => one === 'svg')

/**
 * The formats that callers may request of a model that writes these: rasters are made here from each other and from SVG. The first one is used where
 * none is named.
 */
export const requestableFormats = (formats: readonly DrawnFormat[]): DrawnFormat[] =>
  isVector(formats) ? ['svg', ...rasters] : formats.includes('svg') ? [...rasters, 'svg'] : rasters

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
