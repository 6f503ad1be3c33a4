export const maxOf = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** A value as a share of the highest, in tenths of a percent; where all are nothing, none is high. */
export const shareOf = (value: bigint, highest: bigint): string =>
  highest <= 0n ? '0%' : `${Number((maxOf(value, 0n) * 1000n) / highest) / 10}%`
