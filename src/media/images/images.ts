/**
 * Paid pictures: the caller's request (`ImageSpec`), the order sent to a model (`ImageOrder` of `engine/turn`), and the conversion of
 * the upstream's picture to what was requested. Nothing here knows HTTP or a vendor.
 */
import type { DrawnFormat, ImageBackground, ImageFormat, ImageQuality, Media, PixelSize } from '#core/turn'

export type ImageSetting =
  | 'quality'
  | 'background'
  | 'size'
  | 'aspect_ratio'
  | 'count'
  | 'references'
  | 'action'
  | 'format'
  | 'seed'

/** What a caller requests; absent settings are chosen by prompt, references and model. */
export interface ImageSpec {
  prompt: string
  /** Pictures to edit, or to draw by. */
  references: readonly Media[]
  action: 'auto' | 'generate' | 'edit'
  count: number
  /** Exactly these pixels, whatever the model draws. */
  size?: PixelSize
  /** Width to height. */
  aspectRatio?: number
  /** The caller named no ratio: the one above is that of the route. */
  isUsualRatio?: true
  /** How a picture is brought to a size or ratio that its model does not draw. */
  fit: 'pad' | 'crop'
  quality?: ImageQuality
  /** `auto`: SVG from a model that writes nothing else, PNG from any other. */
  format: DrawnFormat | 'auto'
  /** 1 to 100: quality of JPEG and WebP. At 100, or where it is absent, what needs no other change stays as it came. */
  compression?: number
  background?: ImageBackground
  /** Unfinished pictures to be shown, at most as many as the model streams. */
  partials?: number
  /** By which the upstream draws the same picture again; refused where it takes none. A further order has the next one. */
  seed?: number
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
  /** The prompt that the upstream drew by in place of the caller's, where it says so. */
  revisedPrompt?: string
}

/** How a picture's size was determined: the source of the decision, the fit applied (`native`: nothing was added or cut), and the size that the model drew. */
export interface Sizing {
  source: 'settings' | 'prompt' | 'reference' | 'default'
  fit: 'native' | 'pad' | 'crop'
  sourceWidth: number
  sourceHeight: number
}

export { finishPicture } from './finish.ts'
export type { Drawings } from './finish-svg.ts'
export {
  type PaidImage,
  type PaidImageOptions,
  type PaidPictures,
  type ShowPartial,
  startPaidImage,
} from './paid-image.ts'
export { imageFailures } from './phrases.ts'
export { type ImagePlan, planFor } from './plan.ts'
export { maxPictureCharacters, withinBound } from './within-bound.ts'
