/** What the rows of usage say of days and models, in whole micro-credits. */

export interface UsageRow {
  day: string
  model: string | null
  requests: number
  failures: number
  microcredits: string
}

/** Whether a row is of calls of a program. What costs nothing and names no model is the making of keys and the like. */
export const isOfCalls = ({ model, microcredits, failures }: UsageRow): boolean =>
  model !== null || microcredits !== '0' || failures > 0

export interface Day {
  /** As `2026-11-29`, in Tehran. */
  day: string
  requests: number
  failures: number
  microcredits: bigint
}

const dayMs = 24 * 60 * 60 * 1000

/** The days up to `last`, the oldest first; a day without a row is there with zeros. */
export function daysUpTo(rows: readonly UsageRow[], last: string, count: number): Day[] {
  const lastMs = Date.parse(`${last}T00:00:00Z`)
  return Array.from({ length: count }, (_, at) => {
    const day = new Date(lastMs - (count - 1 - at) * dayMs).toISOString().slice(0, 10)
    const own = rows.filter((row) => row.day === day)
    return { day, ...sumOf(own) }
  })
}

export interface ModelSum extends Omit<Day, 'day'> {
  model: string | null
}

/** The sums by model, the dearest first. */
export function byModel(rows: readonly UsageRow[]): ModelSum[] {
  const models = [...new Set(rows.map(({ model }) => model))]
  return models
    .map((model) => ({ model, ...sumOf(rows.filter((row) => row.model === model)) }))
    .toSorted((a, b) =>
      a.microcredits < b.microcredits ? 1 : a.microcredits > b.microcredits ? -1 : b.requests - a.requests,
    )
}

const sumOf = (rows: readonly UsageRow[]): Omit<Day, 'day'> => ({
  requests: rows.reduce((sum, { requests }) => sum + requests, 0),
  failures: rows.reduce((sum, { failures }) => sum + failures, 0),
  microcredits: rows.reduce((sum, { microcredits }) => sum + BigInt(microcredits), 0n),
})

/**
 * In how many days what is there will be spent, at the pace of the days before today; undefined where nothing was spent or it lasts longer than a
 * year. Today is left out: it is not over.
 */
export function daysLeft(days: readonly Day[], microcredits: bigint): number | undefined {
  const past = days.slice(0, -1)
  const spent = past.reduce((sum, day) => sum + day.microcredits, 0n)
  if (spent === 0n) return undefined
  const left = Number((microcredits * BigInt(past.length)) / spent)
  return left > 365 ? undefined : left
}

/** Whole and thousandth credits, cut: what people pay is shown exactly elsewhere. */
export const creditsOf = (microcredits: bigint): number => Number(microcredits) / 1_000_000
