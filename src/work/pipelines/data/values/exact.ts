/** Decimals as integers of one scale, so that sums are exact. */

/** A decimal as an integer of a scale; digits beyond the scale are rounded half away from zero. */
export function scaledInteger(plain: string, scale: number): bigint {
  const negative = plain.startsWith('-')
  const [integer = '0', fraction = ''] = (negative ? plain.slice(1) : plain).split('.')
  let units = BigInt(integer + fraction.slice(0, scale).padEnd(scale, '0'))
  if (fraction.length > scale && fraction[scale]! >= '5') units += 1n
  return negative ? -units : units
}

/** An integer of a scale as decimal text. */
export function decimalText(units: bigint, scale: number): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0')
  const integer = digits.slice(0, digits.length - scale)
  let end = digits.length
  while (end > digits.length - scale && digits[end - 1] === '0') end -= 1
  const fraction = digits.slice(digits.length - scale, end)
  return `${units < 0n ? '-' : ''}${integer}${fraction && `.${fraction}`}`
}

/** A quotient with six more decimals than its dividend, rounded half away from zero. */
export function quotient(units: bigint, scale: number, by: bigint): string {
  const more = 6
  const numerator = units * 10n ** BigInt(more) * 2n
  const negative = numerator < 0n !== by < 0n
  const [top, bottom] = [numerator < 0n ? -numerator : numerator, by < 0n ? -by : by]
  const rounded = (top / bottom + 1n) / 2n
  return decimalText(negative ? -rounded : rounded, scale + more)
}

/** Decimals as integers of one common scale. */
export function withCommonScale(decimals: readonly string[]): { scale: number; units: bigint[] } {
  const scale = decimals.reduce((max, text) => Math.max(max, text.split('.')[1]?.length ?? 0), 0)
  return { scale, units: decimals.map((text) => scaledInteger(text, scale)) }
}

/** A sum of many integers. It adds plain numbers while they are safe, and bigints only now and then. */
export class ExactSum {
  #far = 0n
  #near = 0
  add(units: bigint): void {
    const small = Number(units)
    const next = this.#near + small
    if (Number.isSafeInteger(small) && Number.isSafeInteger(next)) this.#near = next
    else {
      this.#far += BigInt(this.#near) + units
      this.#near = 0
    }
  }
  get value(): bigint {
    return this.#far + BigInt(this.#near)
  }
}
