/**
 * When credit and caps are reached, if spending goes on as in the last two weeks. Home, Usage and the page of the account tell it by these functions, so
 * that they cannot differ. Months are those of caps: Gregorian, in Tehran.
 */
import { addDays, dayInZone, type IsoDay } from '../words/tehran-days.ts'

const dayMs = 86_400_000
/** Iran has had no summer time since 1401 (2022). */
const tehranMs = 12_600_000

/** So many whole days before today say how fast credit is spent. */
export const paceDays = 14

/** What whole days have cost; a pace is kept as both, so that nothing is rounded before the end. */
export interface Pace {
  microcredits: bigint
  days: number
}

/** The days that are read for a pace, and today beside them. */
export const paceRange = (today: IsoDay): { from: IsoDay; to: IsoDay } => ({
  from: addDays(today, -paceDays),
  to: today,
})

/**
 * The pace of the days before today, which is not over. An account that is younger is told by the days since it was opened. Undefined where nothing was
 * spent in them, for of these nobody can tell, and where the account is closing, for nothing more is spent.
 */
export function paceOf(
  days: readonly { day: IsoDay; microcredits: bigint }[],
  today: IsoDay,
  { opened, isClosing = false }: { opened: IsoDay; isClosing?: boolean },
): Pace | undefined {
  if (isClosing) return undefined
  const { from } = paceRange(today)
  const first = opened > from ? opened : from
  const past = days.filter(({ day }) => day >= from && day < today)
  const microcredits = past.reduce((sum, day) => sum + day.microcredits, 0n)
  const count = Math.round((Date.parse(today) - Date.parse(first)) / dayMs)
  return microcredits <= 0n || count < 1 ? undefined : { microcredits, days: count }
}

/** What a day costs at the pace, in micro-credits, rounded down. */
export const perDay = ({ microcredits, days }: Pace): bigint => microcredits / BigInt(days)

/** The moment at which this much is spent at the pace; undefined where it is more than a year away or there is no pace. */
export function reachedAt(left: bigint, pace: Pace | undefined, now: Date): Date | undefined {
  if (pace === undefined) return undefined
  const ms = ((left > 0n ? left : 0n) * BigInt(pace.days) * BigInt(dayMs)) / pace.microcredits
  return ms > BigInt(365 * dayMs) ? undefined : new Date(now.getTime() + Number(ms))
}

/**
 * What a range will have cost at its end: what was spent in it up to today, and the pace for the days after today. Today counts at least as a day of the
 * pace.
 */
export function projectedAt(
  end: IsoDay,
  today: IsoDay,
  { spent, spentToday, pace }: { spent: bigint; spentToday: bigint; pace: Pace },
): bigint {
  const left = BigInt(Math.max(0, Math.round((Date.parse(end) - Date.parse(today)) / dayMs)))
  const aDay = perDay(pace)
  return spent + (aDay > spentToday ? aDay - spentToday : 0n) + (pace.microcredits * left) / BigInt(pace.days)
}

/** The moments at which the month of a moment began and ends in Tehran. */
export function monthAround(now: Date): { beganMs: number; endsMs: number } {
  const there = new Date(now.getTime() + tehranMs)
  const [year, month] = [there.getUTCFullYear(), there.getUTCMonth()]
  return {
    beganMs: Date.UTC(year, month, 1) - tehranMs,
    endsMs: Date.UTC(year, month + 1, 1) - tehranMs,
  }
}

/**
 * The days in which something was spent since the month of caps began, or since another moment, in the zone in which usage is read. In another zone than
 * Tehran's the month of caps begins within a day: it is then taken from the first of the month in that zone.
 */
export function daysSince(since: 'month' | Date, now: Date, timeZone: string): { from: IsoDay; to: IsoDay } {
  const to = dayInZone(now, timeZone)
  if (since !== 'month') return { from: dayInZone(since, timeZone), to }
  const from = dayInZone(new Date(monthAround(now).beganMs), 'Asia/Tehran')
  return { from, to: to < from ? from : to }
}

export type CapState =
  | { name: 'reached' }
  /** At this pace, on a day of the period. */
  | { name: 'reaches'; at: Date }
  /** Not before the period ends; of a cap in all not within a year. */
  | { name: 'lasts' }
  /** There is no pace to tell from. */
  | { name: 'unknown' }

/** Credits as the API writes them, in micro-credits. */
export const microcreditsOf = (credits: number): bigint => BigInt(Math.round(credits * 1_000_000))

/** What becomes of a cap at the pace. Cap and spending are whole or thousandth credits, as the API writes them. */
export function capStateOf(
  { cap, spent, period }: { cap: number; spent: number; period: 'month' | 'total' },
  pace: Pace | undefined,
  now: Date,
): CapState {
  if (spent >= cap) return { name: 'reached' }
  if (pace === undefined) return { name: 'unknown' }
  const at = reachedAt(microcreditsOf(cap) - microcreditsOf(spent), pace, now)
  if (!at || (period === 'month' && at.getTime() >= monthAround(now).endsMs)) return { name: 'lasts' }
  return { name: 'reaches', at }
}
