/** The lowest rows of each picture: the time in words, what made it, and a bar that grows. */
import { changedSlice, columnsOf, macroblock, wholeSlice } from './h264.ts'
import { fps, type Layout } from './layout.ts'
import { macroblockAt, type Planes, planesOf } from './pixels.ts'

/** Of the bar, at the lower edge. */
export const barHeight = 6
/** The bar grows so many times in a second. */
const steps = 6

/** Luma and chroma of the bar, which is drawn in samples: a light yellow. */
const barSamples = [190, 60, 150]

/** The stripe of each picture, a slice each. */
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
    const slices = [
      wholeSlice(
        place,
        blocksOf(planes, 0, columns, stripeRows).map(([, samples]) => samples),
      ),
    ]
    for (let number = 1; number < fps; number++) {
      const edge = number % (fps / steps) === 0 ? this.#edgeAt(second + number / fps) : drawn
      drawBar(planes, drawn, edge)
      const [from, to] = [Math.floor(drawn / macroblock), Math.ceil(edge / macroblock)]
      const changed = edge === drawn ? [] : blocksOf(planes, from, to, stripeRows)
      slices.push(changedSlice({ ...place, number }, columns * stripeRows, changed))
      drawn = edge
    }
    return slices
  }

  /** Where the bar ends, in pixels. */
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

/** The macroblocks of some columns, with their places in the slice, ascending. */
function blocksOf(planes: Planes, from: number, to: number, rows: number): [number, Uint8Array][] {
  const columns = columnsOf(planes.width)
  const blocks: [number, Uint8Array][] = []
  for (let row = 0; row < rows; row++)
    for (let column = from; column < Math.min(to, columns); column++)
      blocks.push([row * columns + column, macroblockAt(planes, column, row)])
  return blocks
}
