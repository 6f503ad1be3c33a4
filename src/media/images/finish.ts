/** The one way in which an upstream's picture is brought to the requested size and format. */
import { looksLikeSvg, measureImage } from '#core/media'
import { UpstreamError } from '#core/spec'
import { finishRaster } from './finish-raster.ts'
import { finishSvg, type SvgContext } from './finish-svg.ts'
import type { Picture } from './images.ts'
import type { ImagePlan } from './plan.ts'

/**
 * The finished picture. One that needs no change is passed on byte for byte, with its vendor's mark of provenance; any other is encoded again,
 * upright, in sRGB and without metadata but one note that names its origin: a model, or whatever the upstream states. The work is done off the event
 * loop (libvips has threads of its own). Without `svgContext` an SVG is refused as no picture. Throws `UpstreamError` malformed.
 */
export async function finishPicture(
  bytes: Uint8Array,
  plan: ImagePlan,
  svgContext?: SvgContext,
): Promise<Picture> {
  const source = measureImage(bytes)
  try {
    if (source) return await finishRaster(bytes, source, plan)
    // libvips would draw an SVG in this process, and load the files that it names.
    if (svgContext && looksLikeSvg(bytes)) return await finishSvg(bytes, plan, svgContext)
  } catch (cause) {
    if (svgContext?.requester.signal.aborted) throw cause
    throw malformed(cause instanceof Error ? cause.message : 'a picture that cannot be read', cause)
  }
  throw malformed('what is no picture in PNG, JPEG, WebP or GIF')
}

const malformed = (detail: string, cause?: unknown): UpstreamError =>
  new UpstreamError('malformed', { detail, cause })
