/**
 * Paid pictures: a caller's request, the order sent to a model, and the conversion of the upstream's picture to what was requested. A request is an
 * `ImageSpec`, an order an `ImageOrder` of `core/turn`. Nothing here knows HTTP or a vendor.
 */
import type {
  DrawnFormat,
  ImageBackground,
  ImageFormat,
  ImageOption,
  ImageQuality,
  Media,
  PixelSize,
} from '#core/turn'

export type ImageSetting =
  | 'quality'
  | 'background'
  | 'size'
  | 'aspect_ratio'
  | 'count'
  | 'references'
  | 'mask'
  | 'action'
  | 'format'
  | 'seed'
  | ImageOption

/** A caller's request for pictures; absent settings are chosen by prompt, references and model. */
export interface ImageSpec {
  prompt: string
  /** Pictures to edit, or to draw by. */
  references: readonly Media[]
  /** A PNG with an alpha channel, of the size of the first reference: where it is transparent, that picture is to be changed. */
  mask?: Media
  action: 'auto' | 'generate' | 'edit'
  count: number
  /** The exact size of the answer in pixels, whatever the model draws. */
  size?: PixelSize
  /** The ratio of width to height. */
  aspectRatio?: number
  /** Set where the caller named no ratio: `aspectRatio` is then the default of the route. */
  isUsualRatio?: true
  /** How a picture is brought to a size or ratio that its model does not draw. */
  fit: 'pad' | 'crop'
  quality?: ImageQuality
  /** `auto`: SVG from a model that writes nothing else, PNG from any other. */
  format: DrawnFormat | 'auto'
  /** 1 to 100: the quality of JPEG and WebP. At 100, or where it is absent, a picture that needs no other change is passed on as it came. */
  compression?: number
  background?: ImageBackground
  /** The most unfinished pictures to show, bounded by what the model streams. */
  partials?: number
  /** The seed by which the upstream draws the same picture again; refused where the model takes none. A further order gets the next seed. */
  seed?: number
  /** Passed on as they are; refused where the model's wire does not have them. */
  options?: Partial<Record<ImageOption, string>>
  /** Path of a setting in the caller's request body, named in validation errors. */
  where(setting: ImageSetting): string
}

/** A finished picture. */
export interface Picture {
  bytes: Uint8Array
  mediaType: `image/${ImageFormat}` | 'image/svg+xml'
  width: number
  height: number
  sizing: Sizing
  /** The prompt by which the upstream drew in place of the caller's, where the upstream reports it. */
  revisedPrompt?: string
}

/** How a picture's size was determined: the source of the decision, the fit applied (`native`: nothing was added or cut), and the size that the model drew. */
export interface Sizing {
  source: 'settings' | 'prompt' | 'reference' | 'default'
  fit: 'native' | 'pad' | 'crop'
  sourceWidth: number
  sourceHeight: number
}

export type { ImagesApp } from './app.ts'
export { finishPicture } from './finish.ts'
export type { SvgContext } from './finish-svg.ts'
export {
  type PaidImage,
  type PaidImageOptions,
  type PaidPictures,
  type ShowPartial,
  startPaidImage,
} from './paid-image.ts'
export { imageFailures } from './phrases.ts'
export { type ImagePlan, planFor, requireMasks, usualOptions } from './plan.ts'
export { maxPictureCharacters, shrinkToLimit } from './within-bound.ts'
