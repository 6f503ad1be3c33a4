import type { Media } from './message.ts'

export type ImageQuality = 'low' | 'medium' | 'high'
export type ImageFormat = 'png' | 'jpeg' | 'webp'
export type ImageBackground = 'opaque' | 'transparent'

/** Pixels. */
export interface PixelSize {
  width: number
  height: number
}

/** What an upstream is asked for. Settings that its model does not name are absent and not sent. */
export interface ImageOrder {
  prompt: string
  references: readonly Media[]
  count: number
  size: PixelSize
  quality?: ImageQuality
  format?: ImageFormat
  background?: ImageBackground
  responseFormat?: 'b64_json' | 'url'
}
