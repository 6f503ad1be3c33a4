/** The lowest rows of each picture: the time as text, what made the video, and a bar that grows. */
import { changedSlice, columnsOf, macroblock, wholeSlice } from './h264.ts'
import { fps, type Layout } from './layout.ts'
import { macroblockAt, type Planes, planesOf } from './pixels.ts'

/** The height of the bar, at the lower edge. */
export const barHeight = 6
/** How many times the bar grows in a second. */
const steps = 6

/** Luma and chroma of the bar, which is drawn in samples: a light yellow. */
const barSamples = [190, 60, 150]

/** The stripe of a video: a slice for each picture. */
export class Stripe {
  readonly #layout: Layout
  readonly #seconds: number
  /** The stripes of all seconds, one below the other. */
  readonly #sheet: Uint8Array

  constructor(sheet: Uint8Array, layout: Layout, seconds: number) {
    this.#sheet = sheet
    this.#layout = layout
    this.#seconds = seconds
  }

  slicesOf(second: number): Uint8Array[] {
    const { size, stripe, sceneRows, stripeRows } = this.#layout
    const [columns, bytes] = [columnsOf(size.width), 4 * stripe.width * stripe.height]
    const planes = planesOf(this.#sheet.subarray(second * bytes, (second + 1) * bytes), stripe)
    const place = { first: columns * sceneRows, number: 0 }
    let drawn = this.#edgeAt(second)
    drawBar(planes, 0, drawn)
    const below = blocksOf(planes, [0, columns], [1, stripeRows]).map(([, samples]) => samples)
    const slices = [wholeSlice(place, { samples: macroblockAt(planes, 0, 0), columns }, below)]
    const barRows = [Math.floor((stripe.height - barHeight) / macroblock), stripeRows] as const
    for (let number = 1; number < fps; number++) {
      const edge = number % (fps / steps) === 0 ? this.#edgeAt(second + number / fps) : drawn
      drawBar(planes, drawn, edge)
      const grown = [Math.floor(drawn / macroblock), Math.ceil(edge / macroblock)] as const
      const changed = edge === drawn ? [] : blocksOf(planes, grown, barRows)
      slices.push(changedSlice({ ...place, number }, columns * stripeRows, changed))
      drawn = edge
    }
    return slices
  }

  /** The end of the bar, in pixels. */
  #edgeAt(second: number): number {
    const { width } = this.#layout.size
    return Math.min(width, 2 * Math.round((width * (second + 1 / steps)) / this.#seconds / 2))
  }
}

function drawBar({ bytes, width, height }: Planes, from: number, to: number): void {
  const area = width * height
  for (let y = height - barHeight; y < height; y++)
    bytes.fill(barSamples[0]!, y * width + from, y * width + to)
  for (const quarter of [0, 1])
    for (let y = (height - barHeight) / 2; y < height / 2; y++) {
      const row = area + (quarter * area) / 4 + (y * width) / 2
      bytes.fill(barSamples[1 + quarter]!, row + from / 2, row + to / 2)
    }
}

type PixelSpan = readonly [from: number, to: number]

/** Macroblocks with their places in the slice, ascending. */
function blocksOf(planes: Planes, across: PixelSpan, down: PixelSpan): [number, Uint8Array][] {
  const columns = columnsOf(planes.width)
  const blocks: [number, Uint8Array][] = []
  for (let row = down[0]; row < down[1]; row++)
    for (let column = across[0]; column < across[1]; column++)
      blocks.push([row * columns + column, macroblockAt(planes, column, row)])
  return blocks
}
