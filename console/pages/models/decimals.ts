/** How many decimals the credits of an amount have, without zeros at their end. */
export const decimalsOf = (microcredits: bigint): number =>
  String(microcredits).padStart(7, '0').slice(-6).replace(/0+$/, '').length

/** An estimate has two decimals, or as many as show two of its digits. */
export const estimateDecimals = (microcredits: bigint): number =>
  microcredits >= 100_000n ? 2 : Math.min(6, 8 - String(microcredits).length)
