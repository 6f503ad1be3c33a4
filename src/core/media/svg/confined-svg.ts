/** Cleaning and drawing of untrusted SVG in confined processes, with bounds on time and memory. */
import path from 'node:path'
import { decodeBase64InSlices } from '#platform/bytes'
import { type FindIsolation, openConfinement, type Requester } from '#platform/confined'
import type { Log } from '#platform/log'
import type { ImageSize } from '../image.ts'
import { type SvgBox, svgFonts } from './draw-svg.ts'
import { SvgError, type SvgFault, svgBounds } from './parse.ts'

/** A clean drawing in which something can be seen, and the size that the drawing states. */
export interface ProvenSvg extends ImageSize {
  svg: string
}

/** A proven drawing with its picture, in the size that the box allows. */
export interface DrawnSvg extends ProvenSvg {
  png: Uint8Array
  raster: ImageSize
}

/** Cleans and draws SVG. Both methods throw `SvgError` and the signal's reason. */
export interface Svgs {
  provenSvg(bytes: Uint8Array, requester: Requester): Promise<ProvenSvg>
  /** Cleans the drawing first. The picture has transparency, and at most 4,096 pixels a side. */
  rasterOfSvg(bytes: Uint8Array, box: SvgBox, requester: Requester): Promise<DrawnSvg>
}

export interface SvgWork {
  bytes: Uint8Array
  box: SvgBox
  /** Whether the picture is wanted, beside the proof that something can be seen. */
  wantsPng: boolean
}

export type SvgAnswer =
  | { refused: SvgFault }
  | { svg: string; own: ImageSize; raster: ImageSize; png: string }

/** The types of pictures within a drawing are found by their bytes. */
const magicRoom = path.join(import.meta.dirname, '../../magic')

const places = { working: 2, waiting: 64 }
/** CPU time. Usual drawings take a twentieth of it; hostile filters and masks can take any amount. */
const timeoutMs = 5_000
const maxOutputBytes = 96 * 1024 * 1024
const proof: SvgBox = { width: 256, height: 256, covers: false }

export function openSvgs(log: Log, isolation?: FindIsolation): Svgs {
  const confine = openConfinement(log, places, isolation)
  const draw = async (work: SvgWork, requester: Requester) => {
    if (work.bytes.length > svgBounds.bytes) throw new SvgError('size')
    const outcome = await confine({
      ...requester,
      module: path.join(import.meta.dirname, '../svg-process.ts'),
      input: work,
      files: [...svgFonts, magicRoom],
      timeoutMs,
      maxOutputBytes,
      nativeCode: true,
    })
    if ('lost' in outcome) throw new SvgError(outcome.lost)
    const answer = outcome.value as SvgAnswer
    if ('refused' in answer) throw new SvgError(answer.refused)
    return answer
  }
  return {
    async provenSvg(bytes, requester) {
      const { svg, own } = await draw({ bytes, box: proof, wantsPng: false }, requester)
      return { svg, ...own }
    },
    async rasterOfSvg(bytes, box, requester) {
      const { svg, own, raster, png } = await draw({ bytes, box, wantsPng: true }, requester)
      const decoded = await decodeBase64InSlices(png)
      if (!decoded) throw new SvgError('broken')
      return { svg, ...own, raster, png: decoded }
    },
  }
}
