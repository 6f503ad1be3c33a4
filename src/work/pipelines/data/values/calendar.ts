/** Days of the Jalali and the Gregorian calendar as whole days since 1970-01-01, by arithmetic: millions of cells are read. */

export type Calendar = 'jalali' | 'gregorian'

const msPerDay = 86_400_000

/** Years in which the cycle of Jalali leap years changes, by astronomy (Borkowski); the cycle of 33 years is valid from 1178 to 1633. */
const breaks = [1178, 1635]
const cycle = 33

/** Days before each month of a Jalali year. */
const daysBefore = [0, 31, 62, 93, 124, 155, 186, 216, 246, 276, 306, 336]

/** Leap years are the 1st, 5th, 9th, 13th, 17th, 22nd, 26th and 30th of each cycle of 33 years, within the years that anybody dates with. */
export const isLeapJalali = (year: number): boolean =>
  [1, 5, 9, 13, 17, 22, 26, 30].includes(((year % cycle) + cycle) % cycle)

const leapsUntil = (year: number): number => {
  const cycles = Math.floor(year / cycle)
  const rest = year % cycle
  return cycles * 8 + [1, 5, 9, 13, 17, 22, 26, 30].filter((leap) => leap < rest).length
}

/** 1 Farvardin 1403 is 20 March 2024. */
const anchor = { year: 1403, day: Date.UTC(2024, 2, 20) / msPerDay }
const nowruz = (year: number): number =>
  anchor.day + 365 * (year - anchor.year) + leapsUntil(year) - leapsUntil(anchor.year)

/** The day of a date since 1970-01-01; undefined if the date does not exist in the calendar. */
export function dayOf(calendar: Calendar, year: number, month: number, day: number): number | undefined {
  if (month < 1 || month > 12 || day < 1 || day > 31) return undefined
  if (calendar === 'gregorian') {
    const epochDay = Date.UTC(year, month - 1, day) / msPerDay
    return new Date(epochDay * msPerDay).getUTCDate() === day ? epochDay : undefined
  }
  if (year <= breaks[0]! || year >= breaks[1]!) return undefined
  const monthLength = month <= 6 ? 31 : month < 12 || isLeapJalali(year) ? 30 : 29
  return day > monthLength ? undefined : nowruz(year) + daysBefore[month - 1]! + day - 1
}

/** A day as `1403/01/05` (Jalali) or `2024-03-24` (Gregorian), text that sorts by time. */
export function dayText(calendar: Calendar, epochDay: number): string {
  if (calendar === 'gregorian') return new Date(epochDay * msPerDay).toISOString().slice(0, 10)
  let year = anchor.year + Math.floor((epochDay - anchor.day) / 365.2422)
  while (nowruz(year) > epochDay) year -= 1
  while (nowruz(year + 1) <= epochDay) year += 1
  const within = epochDay - nowruz(year)
  const month = daysBefore.findLastIndex((before) => before <= within) + 1
  return `${year}/${twoDigits(month)}/${twoDigits(within - daysBefore[month - 1]! + 1)}`
}

export const twoDigits = (part: number): string => String(part).padStart(2, '0')
