/** Seeds of pictures that wires draw one by one. */
import type { ImageOrder } from '#engine/turn'

/** As vendors bound them: a positive integer of 32 bits with a sign. */
const seeds = 2 ** 31

/** Of several pictures each has the next seed: by one seed all would be the same. */
export const seedOf = ({ seed }: Pick<ImageOrder, 'seed'>, index: number): { seed?: number } =>
  seed === undefined ? {} : { seed: (seed + index) % seeds }
