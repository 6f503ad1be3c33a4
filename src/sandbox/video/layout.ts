import type { PixelSize } from '#core/turn'
import { macroblock, rowsOf } from './h264.ts'

export const fps = 24

/**
 * Where a picture has what. The scene is a loop, encoded once; the stripe below it is written picture by picture, in rows of macroblocks
 * of its own.
 */
export interface Layout {
  size: PixelSize
  scene: PixelSize
  /** What can be seen of the stripe, below the scene. */
  stripe: PixelSize
  /** Rows of macroblocks. */
  sceneRows: number
  stripeRows: number
}

/** Rows of pixels of one colour at the top of the stripe: the encoder of the scene takes up to 14 below it for more of the scene. */
export const margin = macroblock
/** Pixels that can be seen of the stripe, at least. */
const stripeHeight = margin + 32

export function layoutOf(size: PixelSize): Layout {
  const rows = rowsOf(size.height)
  const sceneRows = Math.floor((size.height - stripeHeight) / macroblock)
  const height = sceneRows * macroblock
  return {
    size,
    scene: { width: size.width, height },
    stripe: { width: size.width, height: size.height - height },
    sceneRows,
    stripeRows: rows - sceneRows,
  }
}
