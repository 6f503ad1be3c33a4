/** What the rows of usage say of their groups, in whole micro-credits: nothing is rounded, so that what is shown adds up. */

export interface Sum {
  requests: number
  failures: number
  microcredits: bigint
  tokens: number
}

export interface Group extends Sum {
  /** Of the group in its dimension, as it stands in the address; undefined for what has none, such as calls without a customer. */
  value: string | undefined
  /** What people call it, where that is not the value. */
  name: string | undefined
}

const nothing: Sum = { requests: 0, failures: 0, microcredits: 0n, tokens: 0 }

export const sumOf = (all: readonly Sum[]): Sum =>
  all.reduce(
    (sum, one) => ({
      requests: sum.requests + one.requests,
      failures: sum.failures + one.failures,
      microcredits: sum.microcredits + one.microcredits,
      tokens: sum.tokens + one.tokens,
    }),
    nothing,
  )

export const minus = (one: Sum, other: Sum): Sum => ({
  requests: one.requests - other.requests,
  failures: one.failures - other.failures,
  microcredits: one.microcredits - other.microcredits,
  tokens: one.tokens - other.tokens,
})

/** The dearest first; of equal ones that with more requests. */
const dearestFirst = (a: Group, b: Group): number =>
  a.microcredits === b.microcredits ? b.requests - a.requests : a.microcredits < b.microcredits ? 1 : -1

export interface Top {
  groups: readonly Group[]
  /** All others together, and how many are known of them; undefined where all are shown. */
  rest: (Sum & { count: number }) | undefined
}

/**
 * The dearest groups, and beside them the picked one wherever it stands. The rest is what the total has beyond them, so that all lines add up to the total
 * even where not all groups were read.
 */
export function topOf(
  all: readonly Group[],
  total: Sum,
  { shown, picked, hasMore }: { shown: number; picked: string | undefined; hasMore: boolean },
): Top {
  const sorted = all.toSorted(dearestFirst)
  // A rest of one line would take as much room as the line itself.
  const top = sorted.slice(0, sorted.length === shown + 1 && !hasMore ? shown + 1 : shown)
  const found = sorted.slice(top.length).find(({ value }) => value !== undefined && value === picked)
  const groups = found ? [...top, found] : top
  const count = all.length - groups.length
  return {
    groups,
    rest: count > 0 || hasMore ? { ...minus(total, sumOf(groups)), count } : undefined,
  }
}

/** How many decimals show all of these amounts exactly: none, 3 or 6 for all, so that their marks stand below each other. */
export const decimalsOf = (amounts: readonly bigint[]): 0 | 3 | 6 =>
  amounts.some((amount) => amount % 1_000n !== 0n)
    ? 6
    : amounts.some((amount) => amount % 1_000_000n !== 0n)
      ? 3
      : 0

/** Equal for all amounts of calls, so that decimal marks stand below each other: as many as the finest of them needs, and three at least. */
export const finestDecimals = (amounts: readonly bigint[]): number =>
  [3, 4, 5].find((most) => amounts.every((amount) => amount % 10n ** BigInt(6 - most) === 0n)) ?? 6

/** A part of a whole from 0 to 1, in thousandths; 0 of nothing. */
export const partOf = (part: bigint, whole: bigint): number =>
  whole <= 0n ? 0 : Number((part * 1_000n) / whole) / 1_000

/**
 * What each part is of all of them together, in whole percent. What the parts lose by being cut goes to those that lost most, so that the percents of all
 * parts are 100; all are 0 where the parts are nothing together.
 */
export function percentsOf(parts: readonly bigint[]): number[] {
  const whole = parts.reduce((sum, part) => sum + part, 0n)
  if (whole <= 0n) return parts.map(() => 0)
  const percents = parts.map((part) => Number((part * 100n) / whole))
  const lost = (at: number): bigint => (parts[at]! * 100n) % whole
  const missing = 100 - percents.reduce((sum, percent) => sum + percent, 0)
  const order = [...parts.keys()].sort((a, b) => Number(lost(b) > lost(a)) - Number(lost(b) < lost(a)))
  for (const at of order.slice(0, missing)) percents[at]! += 1
  return percents
}

export type Change =
  | { name: 'none' }
  /** Nothing was spent before, or nothing in both. */
  | { name: 'new' | 'nothing' }
  | { name: 'same' }
  /** In whole percent of what was spent before, without a sign. */
  | { name: 'more' | 'less'; percent: bigint }
  /** At least three times as much. */
  | { name: 'times'; times: bigint }

/** How much more or less was spent than before. Undefined of before: it is not known. */
export function changeOf(now: bigint, before: bigint | undefined): Change {
  if (before === undefined) return { name: 'none' }
  if (before === 0n) return { name: now === 0n ? 'nothing' : 'new' }
  const difference = now - before
  const percent = ((difference < 0n ? -difference : difference) * 100n) / before
  if (percent === 0n) return { name: 'same' }
  if (difference > 0n && percent >= 200n) return { name: 'times', times: now / before }
  return { name: difference > 0n ? 'more' : 'less', percent }
}
