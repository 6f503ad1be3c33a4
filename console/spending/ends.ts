import type { Limit } from './names.ts'
import { type CapState, capStateOf, type Pace, reachedAt } from './pace.ts'

/** What is spent is null of an account of which somebody sees only some projects. */
interface Caps {
  month_cap_credits: number | null
  month_spent_credits: number | null
  cap_credits: number | null
  spent_credits: number | null
}

/** What stops paid requests first at the pace of these days. */
export type FirstEnd =
  | { name: 'reached'; limit: Limit }
  | { name: 'reaches'; limit: Limit; at: Date }
  /** No limit is reached within a year, nor a cap of the month within its month. */
  | { name: 'lasts' }
  /** Nothing has been spent lately. */
  | { name: 'unknown' }

interface Given {
  account: Caps & { balance_microcredits: string }
  /** Of the account; undefined where it is not known, as for whoever sees only some projects. */
  pace: Pace | undefined
  /** Where one project is meant, its caps and its pace. */
  project?: { caps: Caps; pace: Pace | undefined } | undefined
}

const capsOf = (
  caps: Caps,
  pace: Pace | undefined,
  now: Date,
): Record<'month' | 'total', CapState | undefined> => {
  const stateOf = (
    cap: number | null,
    spent: number | null,
    period: 'month' | 'total',
  ): CapState | undefined =>
    cap === null || spent === null ? undefined : capStateOf({ cap, spent, period }, pace, now)
  return {
    month: stateOf(caps.month_cap_credits, caps.month_spent_credits, 'month'),
    total: stateOf(caps.cap_credits, caps.spent_credits, 'total'),
  }
}

function creditOf({ account, pace }: Given, now: Date): CapState {
  const left = BigInt(account.balance_microcredits)
  if (left <= 0n) return { name: 'reached' }
  const at = reachedAt(left, pace, now)
  if (at) return { name: 'reaches', at }
  return { name: pace === undefined ? 'unknown' : 'lasts' }
}

/** The limit that is reached, else the one that is reached first. */
export function firstEndOf(given: Given, now: Date): FirstEnd {
  const ofAccount = capsOf(given.account, given.pace, now)
  const ofProject = given.project && capsOf(given.project.caps, given.project.pace, now)
  const all: readonly (readonly [Limit, CapState | undefined])[] = [
    ['credit', creditOf(given, now)],
    ['accountMonth', ofAccount.month],
    ['accountTotal', ofAccount.total],
    ['projectMonth', ofProject?.month],
    ['projectTotal', ofProject?.total],
  ]
  const [reached] = all.filter(([, state]) => state?.name === 'reached')
  if (reached) return { name: 'reached', limit: reached[0] }
  const [first] = all
    .flatMap(([limit, state]) => (state?.name === 'reaches' ? [{ limit, at: state.at }] : []))
    .toSorted((a, b) => a.at.getTime() - b.at.getTime())
  if (first) return { name: 'reaches', ...first }
  return { name: all.some(([, state]) => state?.name === 'lasts') ? 'lasts' : 'unknown' }
}
