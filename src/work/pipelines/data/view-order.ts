/** Orders the rows of an answer and limits their number to what a chart and a page can show. */
import { foldKey } from './values/fold.ts'
import type { GroupMeasures } from './view-measures.ts'
import type { View, ViewRow } from './views.ts'

/** The most rows of words or values. */
const maxWords = 40
/** The most rows of moments, which stay in their order. */
export const maxMoments = 400

const calendars = [
  'فروردین اردیبهشت خرداد تیر مرداد شهریور مهر آبان آذر دی بهمن اسفند',
  'january february march april may june july august september october november december',
  'jan feb mar apr may jun jul aug sep oct nov dec',
  'شنبه یکشنبه دوشنبه سه‌شنبه چهارشنبه پنجشنبه جمعه',
  'monday tuesday wednesday thursday friday saturday sunday',
  'بهار تابستان پاییز زمستان',
].map((names) => names.split(' ').map(foldKey))

/** Dates by time, months by the calendar, single-value groups as they are, all others by size. Returns row indexes. */
export function sortedIndexes(
  places: number[],
  all: readonly ViewRow[],
  isTime: boolean,
  isEachOnce: boolean,
): number[] {
  if (isTime) return places.toSorted((a, b) => (all[a]!.key < all[b]!.key ? -1 : 1))
  const names = all.length > 12 ? [] : all.map(({ key }) => foldKey(key))
  const calendar = calendars.find((list) => names.length > 0 && names.every((name) => list.includes(name)))
  if (calendar) return places.toSorted((a, b) => calendar.indexOf(names[a]!) - calendar.indexOf(names[b]!))
  if (isEachOnce && all.length <= maxWords) return places
  const size = (place: number) => Number(all[place]!.value ?? Number.NEGATIVE_INFINITY)
  return places.toSorted((a, b) => size(b) - size(a) || a - b)
}

interface LimitOptions {
  view: View
  other: string
  isTime: boolean
}

/** Rows beyond the limit are combined into one. */
export function limitRows(
  order: readonly number[],
  all: readonly ViewRow[],
  measured: GroupMeasures,
  { view, other, isTime }: LimitOptions,
): ViewRow[] {
  const limit = isTime ? maxMoments : Math.min(maxWords, view.top === undefined ? maxWords : view.top + 1)
  if (order.length <= limit) return order.map((place) => all[place]!)
  const head = isTime ? order.slice(-(limit - 1)) : order.slice(0, limit - 1)
  const rest = isTime ? order.slice(0, -(limit - 1)) : order.slice(limit - 1)
  const row = { ...measured.together(rest), key: other }
  const rows = head.map((place) => all[place]!)
  return isTime ? [row, ...rows] : [...rows, row]
}
