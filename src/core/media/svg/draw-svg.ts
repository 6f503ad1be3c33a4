import { fileURLToPath } from 'node:url'
import { Resvg } from '@resvg/resvg-js'
import type { ImageSize } from '../image.ts'
import { SvgError } from './parse.ts'
import { withIsolates } from './right-to-left.ts'

/** The only fonts that the text of a drawing can have. */
export const svgFonts = ['Regular', 'Bold'].map((weight) =>
  fileURLToPath(import.meta.resolve(`vazirmatn/fonts/ttf/Vazirmatn-${weight}.ttf`)),
)

/** The box of pixels in which a drawing is drawn: the drawing fits into it, or covers all of it. */
export interface SvgBox extends ImageSize {
  covers: boolean
}

export interface RasterOfSvg {
  png: Buffer
  raster: ImageSize
  /** The size that the drawing itself states, in user units, at least 0. */
  own: ImageSize
}

const widest = 4_096
const maxPixels = 16_777_216

/** Draws a clean SVG as PNG. Throws `SvgError`: `empty` when nothing can be seen, `size` for no size or too many pixels. */
export function drawSvg(svg: string, box: SvgBox): RasterOfSvg {
  const own = sizeOf(openRenderer(svg, {}))
  const scales = [box.width / own.width, box.height / own.height]
  const scale = box.covers ? Math.max(...scales) : Math.min(...scales)
  const bound = Math.min(
    widest / own.width,
    widest / own.height,
    Math.sqrt(maxPixels / own.width / own.height),
  )
  const width = Math.max(1, Math.round(own.width * Math.min(scale, bound)))
  if (!((own.height / own.width) * width <= widest + 1)) throw new SvgError('size')
  const picture = openRenderer(withIsolates(svg), {
    fitTo: { mode: 'width', value: width },
    font: { loadSystemFonts: false, fontFiles: svgFonts, defaultFontFamily: 'Vazirmatn' },
  }).render()
  const { pixels } = picture
  let seen = false
  for (let at = 3; at < pixels.length && !seen; at += 4) seen = pixels[at] !== 0
  if (!seen) throw new SvgError('empty')
  return { png: picture.asPng(), raster: { width: picture.width, height: picture.height }, own }
}

const sizeOf = ({ width, height }: ImageSize): ImageSize => ({ width, height })

function openRenderer(svg: string, options: ConstructorParameters<typeof Resvg>[1]): Resvg {
  try {
    return new Resvg(svg, options)
  } catch {
    throw new SvgError('empty')
  }
}
