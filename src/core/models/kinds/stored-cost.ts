/** A cost in the detail of a receipt: short, since every receipt has one. */
import { type Cost, type CostPart, type CostUnit, costUnits, noCost, sumOfLines } from './cost.ts'

export interface StoredPart {
  /** Absent: the model of the receipt. `null`: no model. */
  model?: string | null
  step?: string
  /** Absent: one. Several were rounded up one by one, and `sum` is what they cost together. */
  calls?: number
  sum?: string
  /** Unit, quantity, and price in micro-credits. */
  lines: [CostUnit, number, string][]
}

/** The cost as `detail.charge` of a receipt that names this model. */
export const storedCost = ({ parts }: Cost, model: string | null): StoredPart[] =>
  parts.map((part) => ({
    ...((part.model ?? null) !== model && { model: part.model ?? null }),
    ...(part.step !== undefined && { step: part.step }),
    ...(part.calls > 1 && { calls: part.calls, sum: String(part.microcredits) }),
    lines: part.lines.map(({ unit, quantity, price }) => [unit, quantity, String(price)]),
  }))

/** The cost of a receipt that names this model; undefined where its settlement has recorded none. */
export function readCost(stored: unknown, model: string | null): Cost | undefined {
  if (!Array.isArray(stored)) return undefined
  const parts = (stored as StoredPart[]).map((part) => readPart(part, model))
  return parts.length === 0
    ? noCost
    : { parts, microcredits: parts.reduce((sum, { microcredits }) => sum + microcredits, 0n) }
}

function readPart({ model, step, calls = 1, sum, lines: stored }: StoredPart, main: string | null): CostPart {
  const name = model === undefined ? main : model
  const lines = stored.map(([unit, quantity, price]) => ({ unit, quantity, price: BigInt(price) }))
  return {
    ...(name !== null && { model: name }),
    ...(step !== undefined && { step }),
    calls,
    lines,
    microcredits: sum === undefined ? sumOfLines(lines) : BigInt(sum),
  }
}

/** A part as a person can check it: each line with what its price is for, and its amount in micro-credits with at most six decimals. */
export const explainedLines = ({ parts }: Cost) =>
  parts.flatMap(({ model, step, lines }) =>
    lines.map(({ unit, quantity, price }) => ({
      unit,
      quantity,
      price,
      per: costUnits[unit],
      /** Counted in millionths of a micro-credit; a third of one is cut off. */
      millionths: (BigInt(quantity) * price * 1_000_000n) / BigInt(costUnits[unit]),
      model,
      step,
    })),
  )
