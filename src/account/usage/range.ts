/** What a query of usage means: its days, their periods, and the groups. */
import { accountTimeZone, type Caller } from '#platform/auth'
import {
  addDays,
  type Calendar,
  type DayRange,
  type Interval,
  isDay,
  isTimeZone,
  lengthOf,
  monthStart,
  periodsOf,
  TimeZone,
} from '#platform/calendar'
import { fail } from '#platform/errors'
import type { UsageApp } from './app.ts'
import { reasons } from './phrases.ts'
import type { AccountUsageQuery } from './schema.ts'

export const dimensions = ['project', 'model', 'endpoint', 'key', 'person', 'customer'] as const
export type Dimension = (typeof dimensions)[number]

/** The days of which usage is read, divided into periods. */
export interface UsageRange extends DayRange {
  zone: TimeZone
  interval: Interval
  calendar: Calendar
  periods: DayRange[]
}

const maxDays = 4_000

type RangeQuery = Pick<AccountUsageQuery, 'from' | 'to' | 'time_zone' | 'interval' | 'calendar'>

/** Throws INVALID_REQUEST (400) for a zone and days that do not exist, and a range that is too long or ends before it begins. */
export async function rangeOf(
  { db, clock }: UsageApp,
  { accountId }: Pick<Caller, 'accountId'>,
  query: RangeQuery,
): Promise<UsageRange> {
  const zone = zoneOf(query.time_zone ?? (await accountTimeZone(db, accountId)))
  const { interval = 'total', calendar = 'jalali' } = query
  const today = zone.dayOf(clock.nowMs())
  const from = dayOf(query.from, 'from') ?? monthStart(dayOf(query.to, 'to') ?? today, calendar)
  const to = dayOf(query.to, 'to') ?? (from > today ? from : today)
  if (to < from) fail('INVALID_REQUEST', { why: reasons.order }, { param: 'to' })
  if (lengthOf({ from, to }) > maxDays) fail('INVALID_REQUEST', { why: reasons.tooLong }, { param: 'to' })
  return { from, to, zone, interval, calendar, periods: periodsOf({ from, to }, { interval, calendar }) }
}

function zoneOf(name: string): TimeZone {
  if (!isTimeZone(name)) fail('INVALID_REQUEST', { why: reasons.timeZone }, { param: 'time_zone' })
  return new TimeZone(name)
}

function dayOf(text: string | undefined, param: 'from' | 'to'): string | undefined {
  if (text === undefined || isDay(text)) return text
  return fail('INVALID_REQUEST', { why: reasons.day }, { param })
}

/** The dimensions of `group_by`. Throws INVALID_REQUEST (400). */
export function groupsOf(text: string | undefined): Dimension[] {
  if (text === undefined) return []
  const names = text.split(',')
  const groups = dimensions.filter((name) => names.includes(name))
  // In the order in which the caller names them.
  groups.sort((one, other) => names.indexOf(one) - names.indexOf(other))
  if (groups.length !== names.length || names.length > 2)
    fail('INVALID_REQUEST', { why: reasons.groups }, { param: 'group_by' })
  return groups
}

/** The instants at which the periods begin, in order, and the one at which the last ends. */
export function instantsOf({ zone, periods }: UsageRange): { starts: Date[]; end: Date } {
  return {
    starts: periods.map(({ from }) => new Date(zone.startOf(from))),
    end: new Date(zone.startOf(addDays(periods.at(-1)!.to, 1))),
  }
}
