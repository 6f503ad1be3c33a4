/** Adds up what `charge` of a receipt shows, as a person with a pocket calculator would. */
import assert from 'node:assert/strict'

interface Explained {
  lines: { unit: string; quantity: number; price_microcredits: string; per: number; microcredits: string }[]
  rounding_microcredits: string
  sum_microcredits: string
  charged_microcredits: string
  adjustment: { kind: string; microcredits: string } | null
}

interface Receipt {
  id: string
  pending: boolean
  microcredits: string
  charge: Explained | null
}

/** Of a settled receipt that was charged: lines, rounding and adjustment are the charge, to the last digit. */
export function assertExplained({ id, pending, microcredits, charge }: Receipt): void {
  assert(!pending || charge === null, `the receipt ${id} is not settled, and so not explained`)
  if (!charge) return
  for (const { unit, quantity, price_microcredits: price, per, microcredits: amount } of charge.lines) {
    const exact = BigInt(quantity) * BigInt(price)
    const shown = millionths(amount) * BigInt(per)
    // A third is cut at the sixth decimal.
    const isExact = shown <= exact * million && exact * million - shown < BigInt(per)
    assert(isExact, `${id}: ${quantity} ${unit} × ${price} ÷ ${per} is not ${amount}`)
  }
  const lines = charge.lines.reduce((sum, line) => sum + millionths(line.microcredits), 0n)
  const sum = lines + millionths(charge.rounding_microcredits)
  assert.equal(sum, millionths(charge.sum_microcredits), `${id}: the lines and the rounding are the sum`)
  const adjusted = BigInt(charge.sum_microcredits) + BigInt(charge.adjustment?.microcredits ?? 0)
  assert.equal(String(adjusted), charge.charged_microcredits, `${id}: with its adjustment it is the charge`)
  assert.equal(charge.charged_microcredits, microcredits, `${id}: the charge is that of the receipt`)
}

const million = 1_000_000n

/** A decimal figure with at most six places, in millionths. */
function millionths(figure: string): bigint {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d{1,6}))?$/.exec(figure) ?? assert.fail(figure)
  return BigInt(whole + fraction.padEnd(6, '0'))
}
