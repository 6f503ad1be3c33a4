/** The filters of the log as they stand in the address, and as the API takes them. */
import { addDays, dayInTehran, endOfDay, type IsoDay, readDay } from '../../words/tehran-days.ts'

export const areas = [
  'keys.',
  'management_keys.',
  'projects.',
  'members.',
  'invitations.',
  'account.',
  'credits.',
  'webhooks.',
  'cloud.',
  'sites.',
] as const
export const actorKinds = ['person', 'key', 'management_key', 'operator', 'system'] as const
export const spans = ['today', 'week', 'month', 'days'] as const
export type Area = (typeof areas)[number]
export type ActorKind = (typeof actorKinds)[number]
export type Span = (typeof spans)[number]

export interface Filters {
  area: Area | undefined
  actorKind: ActorKind | undefined
  actorId: string | undefined
  targetId: string | undefined
  span: Span | undefined
  /** The days of the span `days`. */
  from: IsoDay | undefined
  to: IsoDay | undefined
  after: string | undefined
}

const oneOf = <Name extends string>(names: readonly Name[], text: string): Name | undefined =>
  names.find((name) => name === text)

const day = (text: string): IsoDay | undefined => (readDay(text) === text ? text : undefined)
const id = (text: string): string | undefined =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text : undefined

/** Reads the address; what is none of the filters is as if it were not there. */
export const readFilters = (read: (name: string) => string): Filters => ({
  area: oneOf(areas, read('what')),
  actorKind: oneOf(actorKinds, read('who')),
  actorId: id(read('actor')),
  targetId: read('target').slice(0, 200) || undefined,
  span: oneOf(spans, read('when')),
  from: day(read('from')),
  to: day(read('to')),
  after: id(read('after')),
})

export const isFiltered = ({ area, actorKind, actorId, targetId, span }: Filters): boolean =>
  [area, actorKind, actorId, targetId, span].some((one) => one !== undefined)

/** The beginning of a day in Tehran is the end of the one before, without its last second. */
const startOf = (of: IsoDay): string => new Date(Date.parse(endOfDay(addDays(of, -1))) + 1_000).toISOString()

/** The moments between which a span lies; days are those of Tehran. */
export function momentsOf(
  { span, from, to }: Pick<Filters, 'span' | 'from' | 'to'>,
  now: Date,
): { from?: string; to?: string } {
  const today = dayInTehran(now)
  if (span === 'today') return { from: startOf(today) }
  if (span === 'week') return { from: startOf(addDays(today, -6)) }
  if (span === 'month') return { from: startOf(addDays(today, -29)) }
  if (span !== 'days') return {}
  return {
    ...(from !== undefined && { from: startOf(from) }),
    ...(to !== undefined && { to: startOf(addDays(to, 1)) }),
  }
}

/** The query of the API. */
export const queryOf = (filters: Filters, now: Date) => ({
  ...(filters.area !== undefined && { operation: filters.area }),
  ...(filters.actorKind !== undefined && { actor_kind: filters.actorKind }),
  ...(filters.actorId !== undefined && { actor_id: filters.actorId }),
  ...(filters.targetId !== undefined && { target_id: filters.targetId }),
  ...(filters.after !== undefined && { after_id: filters.after }),
  ...momentsOf(filters, now),
})
