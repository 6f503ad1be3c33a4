/** Cleans one untrusted SVG, draws it and ends. svg/confined-svg.ts starts this process, confined. */
import { answer } from '#platform/confined-process'
import { cleanSvg } from './svg/clean-svg.ts'
import type { SvgAnswer, SvgWork } from './svg/confined-svg.ts'
import { drawSvg } from './svg/draw-svg.ts'
import { SvgRefused } from './svg/parse.ts'

await answer<SvgWork>(async ({ bytes, box, wantsPng }): Promise<SvgAnswer> => {
  try {
    const svg = cleanSvg(bytes)
    const { png, ...sizes } = drawSvg(svg, box)
    return { svg, ...sizes, png: wantsPng ? png.toString('base64') : '' }
  } catch (error) {
    if (error instanceof SvgRefused) return { refused: error.fault }
    throw error
  }
})
