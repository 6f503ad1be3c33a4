/** Pictures in the form that video has: luma, and chroma of half the size, in the limited range of BT.709. */
import type { PixelSize } from '#core/turn'

export interface Planes extends PixelSize {
  /** Luma, then blue, then red, as `addFrameYuv` of the encoder takes them. */
  bytes: Uint8Array
}

/** @param pixels red, green, blue and a fourth byte that is ignored; both sides are even */
export function planesOf(pixels: Uint8Array, { width, height }: PixelSize): Planes {
  const area = width * height
  const bytes = new Uint8Array((area * 3) / 2)
  for (let at = 0, from = 0; at < area; at++, from += 4)
    bytes[at] =
      (1_081_344 + 11_966 * pixels[from]! + 40_254 * pixels[from + 1]! + 4_064 * pixels[from + 2]!) >> 16
  let [blue, red] = [area, area + area / 4]
  for (let y = 0; y < height; y += 2)
    for (let x = 0; x < width; x += 2) {
      const [one, below] = [4 * (y * width + x), 4 * ((y + 1) * width + x)]
      const sum = (channel: number): number =>
        pixels[one + channel]! +
        pixels[one + 4 + channel]! +
        pixels[below + channel]! +
        pixels[below + 4 + channel]!
      const [r, g, b] = [sum(0), sum(1), sum(2)]
      bytes[blue++] = (33_685_504 - 6_596 * r - 22_188 * g + 28_784 * b) >> 18
      bytes[red++] = (33_685_504 + 28_784 * r - 26_145 * g - 2_639 * b) >> 18
    }
  return { bytes, width, height }
}

/** A picture with transparency that is laid over others. */
export interface Sprite {
  planes: Planes
  /** The alpha of each pixel. */
  alpha: Uint8Array
}

/** @param pixels with alpha, by which the colours are not yet multiplied */
export function spriteOf(pixels: Uint8Array, size: PixelSize): Sprite {
  const alpha = new Uint8Array(size.width * size.height)
  for (let at = 0; at < alpha.length; at++) alpha[at] = pixels[4 * at + 3]!
  return { planes: planesOf(pixels, size), alpha }
}

/** Lays a sprite over a picture, at an even place that is within it. */
export function overlay(
  { bytes, width, height }: Planes,
  { planes, alpha }: Sprite,
  left: number,
  top: number,
): void {
  const [area, own] = [width * height, planes.width * planes.height]
  for (let y = 0; y < planes.height; y++)
    for (let x = 0; x < planes.width; x++) {
      const at = (top + y) * width + left + x
      bytes[at] = mixed(bytes[at]!, planes.bytes[y * planes.width + x]!, alpha[y * planes.width + x]!)
    }
  for (let y = 0; y < planes.height / 2; y++)
    for (let x = 0; x < planes.width / 2; x++) {
      const place = ((top / 2 + y) * width) / 2 + left / 2 + x
      const from = (y * planes.width) / 2 + x
      const weight = alpha[2 * (y * planes.width + x)]!
      for (const quarter of [0, 1]) {
        const at = area + (quarter * area) / 4 + place
        bytes[at] = mixed(bytes[at]!, planes.bytes[own + (quarter * own) / 4 + from]!, weight)
      }
    }
}

/** A mix of two samples. The weight of `over` is from 0 to 255. */
const mixed = (under: number, over: number, weight: number): number =>
  Math.round((under * (255 - weight) + over * weight) / 255)

/** The mix of two pictures of one size: at 0 it is `one`, at 1 it is `other`. */
export function mixPictures(one: Planes, other: Planes, share: number): Planes {
  const weight = Math.round(share * 256)
  const bytes = new Uint8Array(one.bytes.length)
  for (let at = 0; at < bytes.length; at++)
    bytes[at] = (one.bytes[at]! * (256 - weight) + other.bytes[at]! * weight + 128) >> 8
  return { ...one, bytes }
}

/** The samples of a macroblock, in the order of I_PCM; beyond the edges of the picture its last samples are repeated. */
export function macroblockAt({ bytes, width, height }: Planes, column: number, row: number): Uint8Array {
  const samples = new Uint8Array(384)
  const area = width * height
  fill(samples, 0, 16, { bytes, from: 0, width, height, left: 16 * column, top: 16 * row })
  const chroma = { bytes, width: width / 2, height: height / 2, left: 8 * column, top: 8 * row }
  fill(samples, 256, 8, { ...chroma, from: area })
  fill(samples, 320, 8, { ...chroma, from: area + area / 4 })
  return samples
}

interface Plane extends PixelSize {
  bytes: Uint8Array
  from: number
  left: number
  top: number
}

function fill(samples: Uint8Array, at: number, side: number, plane: Plane): void {
  for (let y = 0; y < side; y++) {
    const row = plane.from + Math.min(plane.height - 1, plane.top + y) * plane.width
    for (let x = 0; x < side; x++)
      samples[at++] = plane.bytes[row + Math.min(plane.width - 1, plane.left + x)]!
  }
}
