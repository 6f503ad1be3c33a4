/** Cleans one untrusted SVG, draws it and ends. Started by svg.ts, confined. */
import { answer } from '#platform/confined-process'
import { cleanSvg } from './svg/clean-svg.ts'
import type { SvgWork } from './svg/confined-svg.ts'
import { drawSvg } from './svg/draw-svg.ts'
import { SvgRefused } from './svg/parse.ts'

await answer<SvgWork>(async ({ bytes, width, fontFiles, fontFamily }) => {
  try {
    const svg = cleanSvg(bytes)
    const png = drawSvg(svg, width, { fontFiles, fontFamily })
    return { svg, png: png.toString('base64') }
  } catch (error) {
    if (error instanceof SvgRefused) return { refused: error.fault }
    throw error
  }
})
