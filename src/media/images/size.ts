/** Chooses which of a model's sizes is drawn for a request, and the frame to which the picture is cropped or padded. */
import { isSameSize, parsePixelSize } from '#core/models'
import type { PixelSize } from '#core/turn'
import type { ImageSpec, Sizing } from './images.ts'

export interface SizePlan {
  drawn: PixelSize
  /** The exact final size; absent when the picture keeps the drawn size. */
  frame?: PixelSize
  /** The ratio of width to height that settings require, where a size of the model has it: whether it was drawn so is checked afterwards. */
  ratio?: number
  source: Sizing['source']
}

/** The bounds of a side, and of the whole picture: 4K. */
export const sideRange = { min: 64, max: 4096 } as const
export const maxPixels = 3840 * 2160
/** The ratio of the longest strip. */
export const maxAspectRatio = 8

export const isPossibleSize = ({ width, height }: PixelSize): boolean =>
  Math.min(width, height) >= sideRange.min &&
  Math.max(width, height) <= sideRange.max &&
  width * height <= maxPixels

/**
 * The size to draw and the frame. Settings bind: the picture gets exactly that size. A shape that the prompt names (`16:9`, `1920x1080`) and the
 * shape of the first reference only choose among the model's own sizes.
 */
export function planSize(sizes: readonly PixelSize[], spec: ImageSpec): SizePlan {
  if (spec.size) return { drawn: nearestSize(sizes, spec.size), frame: spec.size, source: 'settings' }
  if (spec.aspectRatio !== undefined)
    return {
      ...planRatio(sizes, spec.aspectRatio, spec.fit),
      source: spec.isUsualRatio ? 'default' : 'settings',
    }
  const named = shapeIn(spec.prompt)
  if (named) {
    const drawn = isPossibleSize(named)
      ? nearestSize(sizes, named)
      : sizesNearestRatio(sizes, ratioOf(named))[0]!
    return { drawn, source: 'prompt' }
  }
  const { width, height } = spec.references[0] ?? {}
  if (width && height) return { drawn: nearestSize(sizes, { width, height }), source: 'reference' }
  return { drawn: sizes[0]!, source: 'default' }
}

function planRatio(
  sizes: readonly PixelSize[],
  ratio: number,
  fit: ImageSpec['fit'],
): Omit<SizePlan, 'source'> {
  const [drawn] = sizesNearestRatio(sizes, ratio) as [PixelSize]
  if (isSameRatio(ratioOf(drawn), ratio)) return { drawn, ratio }
  return { drawn, frame: frameOf(drawn, ratio, fit) }
}

/** The exact size to which a picture of this size is brought; undefined where it stays as it was drawn. */
export function frameFor(
  picture: PixelSize,
  { frame, ratio, fit }: { frame?: PixelSize | undefined; ratio?: number; fit: ImageSpec['fit'] },
): PixelSize | undefined {
  if (frame || ratio === undefined || hasRatio(picture, ratio)) return frame
  return frameOf(picture, ratio, fit)
}

/** Whether the size has this ratio. Models round each side to a multiple of up to 64 pixels: Gemini's 4:5 is 896x1152, which is three percent off. */
const hasRatio = (size: PixelSize, ratio: number): boolean =>
  isSameRatio(ratioOf(size), ratio) ||
  (size.width % 16 === 0 && size.height % 16 === 0 && apart(ratioOf(size), ratio) < 0.03)

/** The largest box of this ratio inside the picture, or the smallest around it; no side exceeds the possible sizes. */
function frameOf({ width, height }: PixelSize, ratio: number, fit: ImageSpec['fit']): PixelSize {
  const byWidth = fit === 'crop' ? ratio > width / height : ratio < width / height
  const box = byWidth ? { width, height: width / ratio } : { width: height * ratio, height }
  const scale = Math.min(
    1,
    sideRange.max / Math.max(box.width, box.height),
    Math.sqrt(maxPixels / (box.width * box.height)),
  )
  return { width: Math.floor(box.width * scale), height: Math.floor(box.height * scale) }
}

const ratioOf = ({ width, height }: PixelSize): number => width / height

/** Whether two ratios are within one percent: vendors call 1792x1024 16:9, and nobody sees the difference of a pixel. */
export const isSameRatio = (a: number, b: number): boolean => apart(a, b) < 0.01

const apart = (a: number, b: number): number => Math.abs(Math.log(a / b))

/** The size nearest in shape; of several, the smallest that is large enough, else the largest. */
function nearestSize(sizes: readonly PixelSize[], wanted: PixelSize): PixelSize {
  const same = sizes.find((size) => isSameSize(size, wanted))
  if (same) return same
  const byArea = sizesNearestRatio(sizes, ratioOf(wanted)).toSorted(
    (a, b) => a.width * a.height - b.width * b.height,
  )
  return (
    byArea.find(({ width, height }) => width >= wanted.width && height >= wanted.height) ?? byArea.at(-1)!
  )
}

/** The sizes nearest in shape, in the order of the model, whose first is the one that it draws by default. */
function sizesNearestRatio(sizes: readonly PixelSize[], ratio: number): PixelSize[] {
  const distance = (size: PixelSize): number => apart(ratioOf(size), ratio)
  const least = Math.min(...sizes.map(distance))
  return sizes.filter((size) => distance(size) - least < 1e-9)
}

/** The ratios that are recognised in prompts; other pairs of numbers are times, scores and doses. */
const knownRatios = new Set([
  '1:1',
  '16:9',
  '9:16',
  '4:3',
  '3:4',
  '3:2',
  '2:3',
  '21:9',
  '9:21',
  '4:5',
  '5:4',
  '2:1',
  '1:2',
])
const ratioInText = /(?<![\d:.,/])(\d{1,2}):(\d{1,2})(?![\d:])/g
const sizeInText = /(?<!\d)(\d{2,4}) ?[x×] ?(\d{2,4})(?!\d)/gi

/** The first shape that the prompt names, in Latin or Persian digits. */
function shapeIn(prompt: string): PixelSize | undefined {
  const text = prompt.replace(/[۰-۹]/g, (digit) => String(digit.charCodeAt(0) - 0x06f0))
  for (const [, width, height] of text.matchAll(sizeInText)) {
    const size = parsePixelSize(`${width}x${height}`)
    if (size && isPossibleSize(size)) return size
  }
  for (const [pair, width, height] of text.matchAll(ratioInText))
    if (knownRatios.has(pair)) return { width: Number(width), height: Number(height) }
  return undefined
}
