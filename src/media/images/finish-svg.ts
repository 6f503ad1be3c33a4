/** Drawings in SVG: cleaned and proven, then answered as they are or as a raster. */
import { originIn, type Svgs } from '#core/media'
import type { PixelSize } from '#core/turn'
import type { Requester } from '#platform/confined'
import { changeOf, finishRaster } from './finish-raster.ts'
import type { Picture } from './images.ts'
import type { ImagePlan } from './plan.ts'
import { frameFor } from './size.ts'

/** The service that cleans drawings, and the requester for whom it does. */
export interface SvgContext {
  svgs: Svgs
  requester: Requester
}

/** The cleaned drawing, or a raster of it. Throws `SvgRefused`, and the signal's reason. */
export async function finishSvg(
  bytes: Uint8Array,
  plan: ImagePlan,
  { svgs, requester }: SvgContext,
): Promise<Picture> {
  const { fit, order, source } = plan
  if (plan.format !== 'svg') {
    const { png, raster, ...drawn } = await svgs.rasterOfSvg(
      bytes,
      { ...(plan.frame ?? order.size), covers: plan.frame !== undefined && fit === 'crop' },
      requester,
    )
    // Its XMP stands in `metadata`, an element that a clean drawing does not have.
    const origin = originIn(Buffer.from(bytes).toString('utf8'))
    const picture = await finishRaster(png, raster, plan, origin)
    return { ...picture, sizing: { ...picture.sizing, ...sourceSizing(drawn) } }
  }
  const drawn = await svgs.provenSvg(bytes, requester)
  const frame = frameFor(roundedSize(drawn), plan)
  const size = frame ?? roundedSize(drawn)
  const change = changeOf(roundedSize(drawn), frame, fit)
  return {
    bytes: Buffer.from(frame ? framed(drawn.svg, drawn, frame, fit) : drawn.svg),
    mediaType: 'image/svg+xml',
    ...size,
    sizing: {
      source,
      fit: change === 'pad' || change === 'crop' ? change : 'native',
      ...sourceSizing(drawn),
    },
  }
}

const roundedSize = ({ width, height }: PixelSize): PixelSize => ({
  width: Math.max(1, Math.round(width)),
  height: Math.max(1, Math.round(height)),
})

function sourceSizing(drawn: PixelSize): { sourceWidth: number; sourceHeight: number } {
  const { width, height } = roundedSize(drawn)
  return { sourceWidth: width, sourceHeight: height }
}

/** A clean drawing in another frame: its view box stays whole (`meet`) or fills the frame (`slice`), both without distortion. */
function framed(svg: string, drawn: PixelSize, frame: PixelSize, fit: ImagePlan['fit']): string {
  // A clean SVG has no > in the value of an attribute.
  return svg.replace(/^<svg([^>]*?)(\/?>)/, (_, attributes: string, end: string) => {
    const kept = attributes.replaceAll(/ (?:width|height|preserveAspectRatio)="[^"]*"/g, '')
    const box = / viewBox="/.test(kept) ? '' : ` viewBox="0 0 ${drawn.width} ${drawn.height}"`
    const aspect = `xMidYMid ${fit === 'crop' ? 'slice' : 'meet'}`
    return `<svg${kept}${box} width="${frame.width}" height="${frame.height}" preserveAspectRatio="${aspect}"${end}`
  })
}
