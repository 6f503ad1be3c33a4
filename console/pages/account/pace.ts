/** When credit and caps are reached, if spending goes on as in this month. Months are those of caps: Gregorian, in Tehran. */

const dayMs = 86_400_000
/** Iran has had no summer time since 1401 (2022). */
const tehranMs = 12_600_000

/** The moments at which the month of a moment began and ends in Tehran. */
export function monthAround(now: Date): { beganMs: number; endsMs: number } {
  const there = new Date(now.getTime() + tehranMs)
  const [year, month] = [there.getUTCFullYear(), there.getUTCMonth()]
  return {
    beganMs: Date.UTC(year, month, 1) - tehranMs,
    endsMs: Date.UTC(year, month + 1, 1) - tehranMs,
  }
}

/** Credits a day in this month; undefined within its first day and where nothing was spent: of these nobody can tell. */
export function paceOf(monthSpent: number, now: Date): number | undefined {
  const days = (now.getTime() - monthAround(now).beganMs) / dayMs
  return days < 1 || monthSpent <= 0 ? undefined : monthSpent / days
}

/** The moment at which this much is spent at the pace; undefined where it is more than a year away or there is no pace. */
export function reachedAt(left: number, pace: number | undefined, now: Date): Date | undefined {
  if (pace === undefined) return undefined
  const days = Math.max(0, left) / pace
  return days > 365 ? undefined : new Date(now.getTime() + days * dayMs)
}

export type CapState =
  | { name: 'reached' }
  /** At this pace, on a day of the period. */
  | { name: 'reaches'; at: Date }
  /** Not before the period ends; of a cap in all not within a year. */
  | { name: 'lasts' }
  /** There is no pace to tell from. */
  | { name: 'unknown' }

/** What becomes of a cap at the pace of this month. */
export function capStateOf(
  { cap, spent, period }: { cap: number; spent: number; period: 'month' | 'total' },
  pace: number | undefined,
  now: Date,
): CapState {
  if (spent >= cap) return { name: 'reached' }
  if (pace === undefined) return { name: 'unknown' }
  const at = reachedAt(cap - spent, pace, now)
  if (!at || (period === 'month' && at.getTime() >= monthAround(now).endsMs)) return { name: 'lasts' }
  return { name: 'reaches', at }
}
