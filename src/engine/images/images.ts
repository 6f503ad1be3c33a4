/**
 * Pictures, paid exactly: what a caller wishes (`ImageSpec`), what a model is asked for it (`ImageOrder` of `engine/turn`), and what
 * becomes of the upstream's picture until it is as it was wished. Nothing here knows HTTP or a vendor.
 */
import type { ImageBackground, ImageFormat, ImageQuality, Media, PixelSize } from '#engine/turn'

export type ImageSetting =
  | 'quality'
  | 'background'
  | 'size'
  | 'aspect_ratio'
  | 'count'
  | 'references'
  | 'action'

/** What a caller wishes for; whatever is absent is chosen by prompt, references and model. */
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
  /** How a picture is brought to a size or ratio that its model does not draw. */
  fit: 'pad' | 'crop'
  quality?: ImageQuality
  format: ImageFormat
  background?: ImageBackground
  /** The place of a setting in the caller's body, for a refusal. */
  where(setting: ImageSetting): string
}

/** A finished picture. */
export interface Picture {
  bytes: Uint8Array
  mediaType: `image/${ImageFormat}`
  width: number
  height: number
  sizing: Sizing
}

/** How a picture came by its size: who decided, what was done, and what the model had drawn. */
export interface Sizing {
  source: 'settings' | 'prompt' | 'reference' | 'default'
  fit: 'native' | 'pad' | 'crop'
  sourceWidth: number
  sourceHeight: number
}

export { type PaidImage, type PaidImageOptions, type PaidPictures, startPaidImage } from './paid-image.ts'
export { imageFailures } from './phrases.ts'
export { type ImagePlan, planFor } from './plan.ts'
