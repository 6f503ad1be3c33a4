/** Exact decimals of any length, for sums that people check: no floating number ever carries money. */

/** The value is `units` divided by 10 to the power of `decimals`. */
export interface Decimal {
  units: bigint
  decimals: number
}

/** Reads `-12.50`; undefined where the text is no plain decimal. */
export function readDecimal(text: string | number): Decimal | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(text))
  if (!match) return undefined
  const [, sign = '', whole = '', fraction = ''] = match
  return trimmed({ units: BigInt(`${sign}${whole}${fraction}`), decimals: fraction.length })
}

/** The same value without zeros at its end. */
export function trimmed({ units, decimals }: Decimal): Decimal {
  let [left, places] = [units, decimals]
  while (places > 0 && left % 10n === 0n) {
    left /= 10n
    places -= 1
  }
  return { units: left, decimals: places }
}

export const times = (one: Decimal, other: Decimal): Decimal =>
  trimmed({ units: one.units * other.units, decimals: one.decimals + other.decimals })

/** The value as units of so many decimals: exact where it has no more of them, else rounded half away from zero. */
export function unitsAt({ units, decimals }: Decimal, wanted: number): bigint {
  if (wanted >= decimals) return units * 10n ** BigInt(wanted - decimals)
  return divided(units, 10n ** BigInt(decimals - wanted))
}

/** Divides, rounding half away from zero. */
export function divided(units: bigint, by: bigint): bigint {
  const half = by / 2n
  return units < 0n ? -((-units + half) / by) : (units + half) / by
}

/** As `12.50`, with exactly so many decimals. */
export function written(units: bigint, decimals: number): `${number}` {
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0')
  const at = digits.length - decimals
  const text = decimals === 0 ? digits : `${digits.slice(0, at)}.${digits.slice(at)}`
  return `${units < 0n ? '-' : ''}${text}` as `${number}`
}
