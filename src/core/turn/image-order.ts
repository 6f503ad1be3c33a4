import type { Media } from './message.ts'

export type ImageQuality = 'low' | 'medium' | 'high'
export type ImageFormat = 'png' | 'jpeg' | 'webp'
/** The formats that a model may draw in: vector models write SVG. */
export type DrawnFormat = ImageFormat | 'svg'
export type ImageBackground = 'opaque' | 'transparent'

/** A size in pixels. */
export interface PixelSize {
  width: number
  height: number
}

/** Settings that are passed on as the caller wrote them, to vendors whose wire has a field of that name. */
export type ImageOption = 'moderation' | 'style' | 'input_fidelity'

/** An image request to an upstream. Settings that the model does not support are absent and not sent. */
export interface ImageOrder {
  prompt: string
  references: readonly Media[]
  /** A PNG of the size of the first reference: only where it is transparent that picture is changed. */
  mask?: Media
  count: number
  size: PixelSize
  quality?: ImageQuality
  format?: DrawnFormat
  background?: ImageBackground
  responseFormat?: 'b64_json' | 'url'
  /** The number by which the same picture is drawn again. */
  seed?: number
  /** Those of the caller that the model's wire has. */
  options?: Partial<Record<ImageOption, string>>
  /** The number of unfinished pictures that are requested, in an order for one picture. */
  partials?: number
  /** Called with each unfinished picture as it comes, at any time before the order is filled; the bytes are as unproven as the finished ones. */
  onPartial?(bytes: Uint8Array): void
}
