import { calendarOf, type DayRange, type RangeName, rangeOf, readRange } from '../words/ranges.ts'
import { dayInZone, type IsoDay } from '../words/tehran-days.ts'
import { useLocale } from '../words/use-words.ts'
import { type AddressChange, useAddress } from './use-address.ts'

interface AddressRange {
  /** The days in the address, or those of the page's own range; undefined where that is all time. */
  range: DayRange | undefined
  today: IsoDay
  /** What the address must say for another range; the page's own one is not said. */
  changeFor(range: DayRange | undefined): AddressChange
}

/** The range of days that stands in the address as `from` and `to`. `usual` is that of an address without them. */
export function useRange(usual: RangeName | 'all', timeZone: string): AddressRange {
  const { read } = useAddress()
  const calendar = calendarOf(useLocale())
  const today = dayInZone(new Date(), timeZone)
  const own = usual === 'all' ? undefined : rangeOf(usual, today, calendar)
  return {
    range: readRange(read('from'), read('to')) ?? own,
    today,
    changeFor: (range) =>
      range?.from === own?.from && range?.to === own?.to
        ? { from: '', to: '' }
        : { from: range?.from, to: range?.to },
  }
}
