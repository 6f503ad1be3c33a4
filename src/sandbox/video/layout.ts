import type { PixelSize } from '#core/turn'
import { macroblock, rowsOf } from './h264.ts'

export const fps = 24

/**
 * The places of the parts of a picture. The scene is a loop, encoded once; the stripe below it is written picture by picture, in rows of macroblocks
 * of its own.
 */
export interface Layout {
  size: PixelSize
  scene: PixelSize
  /** The visible part of the stripe, below the scene. */
  stripe: PixelSize
  /** The heights in rows of macroblocks. */
  sceneRows: number
  stripeRows: number
}

/** Rows of pixels of one colour at the top of the stripe: the encoder of the scene treats up to 14 rows below it as a part of the scene. */
export const margin = macroblock
/** The least height of the stripe that can be seen, in pixels. */
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
