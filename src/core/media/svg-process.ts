/** Cleans one untrusted SVG, draws it and ends. svg/confined-svg.ts starts this process, confined. */
import { runConfinedWork } from '#platform/confined-process'
import { cleanSvg } from './svg/clean-svg.ts'
import type { SvgAnswer, SvgWork } from './svg/confined-svg.ts'
import { drawSvg } from './svg/draw-svg.ts'
import { SvgError } from './svg/parse.ts'

await runConfinedWork<SvgWork>(async ({ bytes, box, wantsPng }): Promise<SvgAnswer> => {
  try {
    const svg = cleanSvg(bytes)
    const { png, ...sizes } = drawSvg(svg, box)
    return { svg, ...sizes, png: wantsPng ? png.toString('base64') : '' }
  } catch (error) {
    if (error instanceof SvgError) return { refused: error.fault }
    throw error
  }
})
