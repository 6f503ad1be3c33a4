/** The charge of a call as a sum that can be checked with a pocket calculator: what is shown adds up to what was charged, to the last decimal. */
import { type Decimal, divided, readDecimal, times, trimmed, unitsAt } from './decimal.ts'

/** A line of the charge as the API has it; the figures are decimals in texts. */
export interface ChargeLine {
  unit: string
  quantity: string | number
  price_microcredits: string
  /** The price is for so many of the unit. */
  per: number
  microcredits: string
  model?: string | undefined
  step?: string | number | undefined
}

export interface Charge {
  lines: readonly ChargeLine[]
  sum_microcredits: string
  charged_microcredits: string
  adjustment: { kind: string; microcredits: string } | null
}

export interface SumLine {
  unit: string
  model: string | undefined
  step: string | undefined
  quantity: Decimal
  /** In credits, of one of the unit, or of `per` of them where one has too many decimals to be typed. */
  price: Decimal
  per: number
  /** In credits, as units of the sum's decimals. */
  amount: bigint
}

export interface ChargeSum {
  /** How many decimals all amounts have. */
  decimals: number
  priceDecimals: number
  lines: SumLine[]
  /** What the rounding to a whole micro-credit adds; with it the lines are the sum. */
  rounding: bigint
  sum: bigint
  /** What was charged other than the sum, and why. */
  adjustment: { kind: string; amount: bigint } | undefined
  charged: bigint
}

/** A micro-credit is the sixth decimal of a credit. */
const microDecimals = 6
/** More decimals nobody types into a calculator. */
const maxDecimals = 9
const million = 1_000_000

/** Undefined where a figure is not a decimal, as of a later version of the API. */
export function sumOf(charge: Charge): ChargeSum | undefined {
  const read = charge.lines.map(readLine)
  const [sum, charged] = [readDecimal(charge.sum_microcredits), readDecimal(charge.charged_microcredits)]
  if (!sum || !charged || read.some((one) => one === undefined)) return undefined
  const lines = read.filter((one) => one !== undefined)
  const totals = [creditsOf(sum), creditsOf(charged)]
  const decimals = Math.min(
    maxDecimals,
    Math.max(2, ...totals.map((one) => one.decimals), ...lines.map(decimalsOfAmount)),
  )
  const shown = lines.map((line) => ({ ...line, amount: amountAt(line, decimals) }))
  const [sumUnits, chargedUnits] = totals.map((one) => unitsAt(one, decimals)) as [bigint, bigint]
  return {
    decimals,
    priceDecimals: Math.max(0, ...lines.map(({ price }) => price.decimals)),
    lines: shown,
    rounding: sumUnits - shown.reduce((total, { amount }) => total + amount, 0n),
    sum: sumUnits,
    adjustment:
      sumUnits === chargedUnits
        ? undefined
        : { kind: charge.adjustment?.kind ?? 'other', amount: chargedUnits - sumUnits },
    charged: chargedUnits,
  }
}

const creditsOf = ({ units, decimals }: Decimal): Decimal =>
  trimmed({ units, decimals: decimals + microDecimals })

type ReadLine = Omit<SumLine, 'amount'>

function readLine({
  unit,
  quantity,
  price_microcredits,
  per,
  model,
  step,
}: ChargeLine): ReadLine | undefined {
  const [count, price] = [readDecimal(quantity), readDecimal(price_microcredits)]
  if (!count || !price || !Number.isSafeInteger(per) || per < 1) return undefined
  return {
    unit,
    model,
    step: step === undefined ? undefined : String(step),
    quantity: count,
    ...priceOf(creditsOf(price), per),
  }
}

/** The price of one where that ends within the decimals that can be typed. */
function priceOf(credits: Decimal, per: number): Pick<SumLine, 'price' | 'per'> {
  const ofOne =
    per === million
      ? trimmed({ ...credits, decimals: credits.decimals + 6 })
      : per === 1
        ? credits
        : undefined
  return ofOne && ofOne.decimals <= maxDecimals ? { price: ofOne, per: 1 } : { price: credits, per }
}

/** How many decimals the amount of a line has; as many as are shown at most, where it does not end. */
function decimalsOfAmount({ quantity, price, per }: ReadLine): number {
  const product = times(quantity, price)
  const scaled = unitsAt(product, product.decimals + maxDecimals)
  if (scaled % BigInt(per) !== 0n) return maxDecimals
  return trimmed({ units: scaled / BigInt(per), decimals: product.decimals + maxDecimals }).decimals
}

function amountAt({ quantity, price, per }: ReadLine, decimals: number): bigint {
  const product = times(quantity, price)
  const more = Math.max(0, decimals - product.decimals)
  const units = product.units * 10n ** BigInt(more)
  return divided(units, BigInt(per) * 10n ** BigInt(product.decimals + more - decimals))
}
