/** Cleaning and drawing of untrusted SVG in confined processes, with bounds on time and memory. */
import path from 'node:path'
import { decodeBase64InSlices } from '#platform/bytes'
import { type FindIsolation, openConfinement, type Requester } from '#platform/confined'
import type { Log } from '#platform/log'
import type { SvgFonts } from './draw-svg.ts'
import { type SvgFault, SvgRefused, svgBounds } from './parse.ts'

export interface RasterOptions {
  format: 'png' | 'jpeg' | 'webp'
  /** Pixels, at most 4096; the height follows. */
  width: number
}

/** Both throw `SvgRefused` and the signal's reason. */
export interface Svgs {
  /** The clean text of an SVG of which something could be drawn. */
  provenSvg(bytes: Uint8Array, requester: Requester): Promise<string>
  /** The drawing as a picture, cleaned first; JPEG on white. */
  rasterOfSvg(svg: Uint8Array, options: RasterOptions, requester: Requester): Promise<Buffer>
}

export interface SvgWork extends SvgFonts {
  bytes: Uint8Array
  width: number
}

const places = { working: 2, waiting: 64 }
const timeoutMs = 10_000
const maxOutputBytes = 96 * 1024 * 1024
const proofWidth = 256
const widest = 4_096

/** Fonts for the text of drawings: the files are the only ones it can be drawn with. */
export function openSvgs(log: Log, fonts: SvgFonts, isolation?: FindIsolation): Svgs {
  const confine = openConfinement(log, places, isolation)
  const draw = async (bytes: Uint8Array, width: number, requester: Requester) => {
    if (bytes.length > svgBounds.bytes) throw new SvgRefused('size')
    const outcome = await confine({
      ...requester,
      module: path.join(import.meta.dirname, '../svg-process.ts'),
      input: { bytes, width, ...fonts } satisfies SvgWork,
      files: fonts.fontFiles,
      timeoutMs,
      maxOutputBytes,
      nativeCode: true,
    })
    if ('lost' in outcome) throw new SvgRefused(outcome.lost)
    const answer = outcome.value as { refused: SvgFault } | { svg: string; png: string }
    if ('refused' in answer) throw new SvgRefused(answer.refused)
    return answer
  }
  return {
    provenSvg: async (bytes, requester) => (await draw(bytes, proofWidth, requester)).svg,
    async rasterOfSvg(svg, { format, width }, requester) {
      if (!Number.isInteger(width) || width < 1 || width > widest) throw new SvgRefused('size')
      const png = await decodeBase64InSlices((await draw(svg, width, requester)).png)
      if (!png) throw new SvgRefused('broken')
      const { default: sharp } = await import('sharp')
      const picture = sharp(png)
      if (format === 'png') return Buffer.from(png.buffer, png.byteOffset, png.byteLength)
      return (format === 'jpeg' ? picture.flatten({ background: '#fff' }) : picture)
        .toFormat(format)
        .toBuffer()
    },
  }
}
