/** Sizes for wires that take no pixels. */
import type { PixelSize } from '#core/turn'

/** The shape that is nearest to the size. Shapes are written like `3:2`. */
export function nearestShape({ width, height }: PixelSize, shapes: readonly string[]): string {
  const wanted = Math.log(width / height)
  const distance = (shape: string): number => {
    const [across = 1, down = 1] = shape.split(':').map(Number)
    return Math.abs(Math.log(across / down) - wanted)
  }
  return shapes.reduce((best, shape) => (distance(shape) < distance(best) ? shape : best))
}

/** The tier of a size; undefined for 1K, the default, which is all that some models know. */
export function sizeTier({ width, height }: PixelSize): '2K' | '4K' | undefined {
  const side = Math.sqrt(width * height)
  return side > 2_896 ? '4K' : side > 1_448 ? '2K' : undefined
}
