/** An image model, what it can be asked for, and what its pictures cost. */
import type { DrawnFormat, ImageBackground, ImageQuality, PixelSize } from '#core/turn'
import type { NamedModel } from '../../models.ts'

/** A model that draws pictures, and edits those it is given where `image.maxReferences` allows any. */
export interface ImageModel extends NamedModel {
  kind: 'image'
  image: ImageSettings
  pricing: ImagePricing
}

/** What the upstream of an image model can be asked for. A list that is empty is never named to it. */
export interface ImageSettings {
  /** The first is drawn where nothing says otherwise. */
  sizes: PixelSize[]
  qualities: ImageQuality[]
  formats: DrawnFormat[]
  backgrounds: ImageBackground[]
  /** Pictures of one call. */
  maxCount: number
  /** Pictures that one call can be given to edit; 0: it edits none. */
  maxReferences: number
  /** Unfinished pictures that it streams of one picture, where they are asked for; 0: it streams none. */
  maxPartials: number
  /** It draws by a number that is sent along: the same one, the same picture. */
  takesSeed: boolean
  /** Sent as `response_format`, to the servers that want to be told. */
  responseFormat?: 'b64_json' | 'url'
}

/** Pictures have a price each, or are paid by the tokens that their upstream counts. */
export type ImagePricing = PicturePricing | ImageTokenPricing

/** USD. The first row that fits a picture has its price, else `perImage`. */
export interface PicturePricing {
  unit: 'image'
  perImage: number
  rows: ImagePriceRow[]
  /** Of each picture that is given along. */
  perReference: number
  /** Of each unfinished picture that is sent. */
  perPartial: number
}

export interface ImagePriceRow {
  quality?: ImageQuality
  size?: PixelSize
  perImage: number
}

/** USD per million tokens, and what a picture is expected to have: known before it is ordered, charged where its upstream counts none. */
export interface ImageTokenPricing {
  unit: 'tokens'
  /** Of the prompt. */
  inputPerMillion: number
  /** Of pictures that are given along. */
  mediaInputPerMillion: number
  outputPerMillion: number
  expected: ExpectedImageTokens
}

export interface ExpectedImageTokens {
  /** The first row that fits a picture has its tokens, else the row with the most. */
  output: ImageTokenRow[]
  /** Of each picture that is given along, at most. */
  perReference: number
  /** Of each unfinished picture that is sent. */
  perPartial: number
  /** The hold covers so many times the expected tokens: a model that rewrites prompts or plans longer has more. */
  margin: number
}

export interface ImageTokenRow {
  quality?: ImageQuality
  size?: PixelSize
  tokens: number
}

type DrawnAs = { quality?: ImageQuality | undefined; size: PixelSize }

const fits =
  (picture: DrawnAs) =>
  ({ quality, size }: { quality?: ImageQuality; size?: PixelSize }): boolean =>
    (quality === undefined || quality === picture.quality) && (!size || isSameSize(size, picture.size))

/** USD of one picture: the first row that fits, else the price of all others. */
export const imagePrice = (pricing: PicturePricing, picture: DrawnAs): number =>
  pricing.rows.find(fits(picture))?.perImage ?? pricing.perImage

/** Tokens of one picture: the first row that fits, else the most of all rows. */
export const expectedOutput = ({ output }: ExpectedImageTokens, picture: DrawnAs): number =>
  output.find(fits(picture))?.tokens ?? Math.max(...output.map(({ tokens }) => tokens))

export const isSameSize = (a: PixelSize, b: PixelSize): boolean =>
  a.width === b.width && a.height === b.height

/** As every wire writes it: `1024x1536`. */
export const sizeName = ({ width, height }: PixelSize): string => `${width}x${height}`

/** What `sizeName` wrote, in whatever of its usual spellings; undefined for anything else. */
export function sizeOf(text: string): PixelSize | undefined {
  const [, width, height] = /^([1-9]\d{0,4})[x×]([1-9]\d{0,4})$/i.exec(text) ?? []
  return width === undefined ? undefined : { width: Number(width), height: Number(height) }
}

const rasters: DrawnFormat[] = ['png', 'jpeg', 'webp']

/** A vector model writes SVG alone: its drawings are answered as such unless a raster is named. */
export const isVector = (formats: readonly DrawnFormat[]): boolean =>
  formats.length > 0 && formats.every((one) => one === 'svg')

/** What a model that writes these is answered in: rasters are made here of each other and of SVG. The first where none is named. */
export const answeredFormats = (formats: readonly DrawnFormat[]): DrawnFormat[] =>
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
