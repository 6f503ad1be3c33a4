/**
 * How a cost is computed: lines of quantity × price. Every price of a model is the sum of such lines, and the receipt lists the same lines, so that the
 * charge and its explanation cannot differ.
 */

/** The units of lines, each with how many of them its price is for: a million tokens, a minute in seconds, one picture. */
export const costUnits = {
  input_tokens: 1_000_000,
  cached_input_tokens: 1_000_000,
  cache_write_tokens: 1_000_000,
  cache_write_hour_tokens: 1_000_000,
  media_input_tokens: 1_000_000,
  output_tokens: 1_000_000,
  text_input_tokens: 1_000_000,
  audio_input_tokens: 1_000_000,
  image_input_tokens: 1_000_000,
  cached_text_input_tokens: 1_000_000,
  cached_audio_input_tokens: 1_000_000,
  text_output_tokens: 1_000_000,
  audio_output_tokens: 1_000_000,
  characters: 1_000_000,
  /** Seconds at a price for a minute. */
  seconds: 60,
  milliseconds: 60_000,
  /** Seconds of video at a price for each. */
  video_seconds: 1,
  videos: 1,
  pictures: 1,
  references: 1,
  partials: 1,
  searches: 1,
  fetches: 1,
  /** Uses of another tool. */
  uses: 1,
  /** The cost that an upstream reports, where it is trusted. */
  reported_costs: 1,
  /** The most that something could cost, where this is charged: a lost step, an order at its limit. */
  limits: 1,
  /** Steps of work of which only the whole cost is known. */
  steps: 1,
} as const satisfies Record<string, number>

export type CostUnit = keyof typeof costUnits

export interface CostLine {
  unit: CostUnit
  /** A whole number, at least zero. */
  quantity: number
  /** In micro-credits, for as many as `costUnits` says. */
  price: bigint
}

/** The lines of one call of a model, or of several calls at the same prices. */
export interface CostPart {
  /** Absent for what no model did, such as a search. */
  model?: string | undefined
  /** The step of the request, where it has several. */
  step?: string | undefined
  /** Calls whose costs were rounded up one by one. */
  calls: number
  lines: readonly CostLine[]
  /** The sum of the lines in micro-credits, rounded up once for each call. */
  microcredits: bigint
}

export interface Cost {
  readonly parts: readonly CostPart[]
  readonly microcredits: bigint
}

export const noCost: Cost = { parts: [], microcredits: 0n }

/** The least common multiple of all that prices are for. */
const denominator = 3_000_000n

const weights = Object.fromEntries(
  Object.entries(costUnits).map(([unit, per]) => [unit, denominator / BigInt(per)]),
) as Record<CostUnit, bigint>

/** The sum of these lines in micro-credits, rounded up once. */
export function sumOfLines(lines: readonly CostLine[]): bigint {
  let sum = 0n
  for (const { unit, quantity, price } of lines) sum += BigInt(quantity) * price * weights[unit]
  return (sum + denominator - 1n) / denominator
}

/** The cost of one call. Lines of nothing are left out. */
export function costOfLines(lines: readonly CostLine[], of: { model?: string; step?: string } = {}): Cost {
  const counted = lines.filter(({ quantity }) => quantity > 0)
  if (counted.length === 0) return noCost
  const microcredits = sumOfLines(counted)
  return { parts: [{ ...of, calls: 1, lines: counted, microcredits }], microcredits }
}

/** A charge of the most that something could cost. */
export const limitCost = (microcredits: bigint, of: { model?: string; step?: string } = {}): Cost =>
  microcredits > 0n ? costOfLines([{ unit: 'limits', quantity: 1, price: microcredits }], of) : noCost

/** Only the lines that have a price, where one has: what a model counts and does not charge explains nothing. */
export function pricedLines(lines: readonly CostLine[]): CostLine[] {
  const counted = lines.filter(({ quantity }) => quantity > 0)
  const priced = counted.filter(({ price }) => price > 0n)
  return priced.length > 0 ? priced : counted
}

export function sumCosts(costs: readonly Cost[]): Cost {
  const parts = costs.flatMap((cost) => cost.parts)
  return { parts, microcredits: parts.reduce((sum, { microcredits }) => sum + microcredits, 0n) }
}

/** The cost as that of this step of its request. */
export const costOfStep = ({ parts, microcredits }: Cost, step: string): Cost => ({
  parts: parts.map((part) => ({ ...part, step })),
  microcredits,
})

/** The cost with one part for each step and model, whose lines are those of all its calls. */
export function foldCost({ parts, microcredits }: Cost): Cost {
  const folded = new Map<string, CostPart[]>()
  for (const part of parts) {
    const key = JSON.stringify([part.step, part.model])
    const same = folded.get(key)
    if (same) same.push(part)
    else folded.set(key, [part])
  }
  return { parts: [...folded.values()].map(foldParts), microcredits }
}

function foldParts(parts: readonly CostPart[]): CostPart {
  const [first] = parts
  if (parts.length === 1) return first!
  const lines = new Map<string, CostLine>()
  for (const line of parts.flatMap((part) => part.lines)) {
    const key = `${line.unit} ${line.price}`
    lines.set(key, { ...line, quantity: line.quantity + (lines.get(key)?.quantity ?? 0) })
  }
  return {
    ...first!,
    calls: parts.reduce((sum, { calls }) => sum + calls, 0),
    lines: [...lines.values()],
    microcredits: parts.reduce((sum, part) => sum + part.microcredits, 0n),
  }
}
