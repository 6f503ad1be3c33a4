/** What the account has spent, as the API sums it, and the days from which a pace is told. */
import { call, type Input, type Reply } from '../api/client.ts'
import { type Calendar, monthOf } from '../words/ranges.ts'
import { addDays, type IsoDay } from '../words/tehran-days.ts'
import { paceRange } from './pace.ts'

export type AccountUsage = Reply<'GET /v1/account/usage'>
export type UsageRow = AccountUsage['data'][number]
export type UsageQuery = NonNullable<Input<'GET /v1/account/usage'>['query']>

/** Sums of the account of a project; nothing is read while the query is undefined. */
export const accountUsageQuery = (projectId: string | undefined, query: UsageQuery | undefined) =>
  ({
    queryKey: ['account-usage', projectId, query],
    queryFn: () => call('GET /v1/account/usage', { query: query! }),
    enabled: projectId !== undefined && query !== undefined,
  }) as const

/** The days of this month and those of a pace, of one project or `all`. */
export function recentDays(
  scope: string,
  { day, timeZone }: { day: IsoDay; timeZone: string },
  calendar: Calendar,
): UsageQuery {
  const month = monthOf(calendar, day).from
  const pace = paceRange(day).from
  return {
    project_id: scope,
    interval: 'day',
    time_zone: timeZone,
    from: month < pace ? month : pace,
    to: day,
  }
}

export interface Day {
  day: IsoDay
  requests: number
  failures: number
  microcredits: bigint
}

/** The rows of an interval of days. */
export const daysOf = (
  rows: readonly Pick<UsageRow, 'from' | 'requests' | 'failures' | 'microcredits'>[],
): Day[] =>
  rows.map(({ from, requests, failures, microcredits }) => ({
    day: from,
    requests,
    failures,
    microcredits: BigInt(microcredits),
  }))

/** The days up to `last`, the oldest first; a day without calls is there with zeros. */
export function daysUpTo(days: readonly Day[], last: IsoDay, count: number): Day[] {
  const known = new Map(days.map((one) => [one.day, one]))
  return Array.from({ length: count }, (_, at) => {
    const day = addDays(last, at + 1 - count)
    return known.get(day) ?? { day, requests: 0, failures: 0, microcredits: 0n }
  })
}
