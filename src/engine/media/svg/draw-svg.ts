import { Resvg } from '@resvg/resvg-js'
import { SvgRefused } from './parse.ts'

export interface SvgFonts {
  fontFiles: readonly string[]
  fontFamily: string
}

const maxPixels = 16_777_216

/** A clean SVG as PNG, `width` pixels wide. Throws `SvgRefused`: empty when nothing can be seen, size for too many pixels. */
export function drawSvg(svg: string, width: number, { fontFiles, fontFamily }: SvgFonts): Buffer {
  const drawing = opened(svg, {
    fitTo: { mode: 'width', value: width },
    font: { loadSystemFonts: false, fontFiles: [...fontFiles], defaultFontFamily: fontFamily },
  })
  const height = (drawing.height / drawing.width) * width
  if (!(height * width <= maxPixels)) throw new SvgRefused('size')
  const picture = drawing.render()
  const { pixels } = picture
  let seen = false
  for (let at = 3; at < pixels.length && !seen; at += 4) seen = pixels[at] !== 0
  if (!seen) throw new SvgRefused('empty')
  return picture.asPng()
}

function opened(svg: string, options: ConstructorParameters<typeof Resvg>[1]): Resvg {
  try {
    return new Resvg(svg, options)
  } catch {
    throw new SvgRefused('empty')
  }
}
