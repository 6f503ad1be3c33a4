import { expect, test } from 'vitest'
import { addDays, isDay, isTimeZone, jalaliText, periodsOf, TimeZone } from './calendar.ts'

test('a day begins at the first instant at which the clocks of its zone show it, whatever they were put forward or back by', () => {
  for (const [zone, day, start] of [
    ['Asia/Tehran', '2026-11-30', '2026-11-29T20:30:00Z'],
    // Clocks went forward at midnight, and back at midnight.
    ['Asia/Tehran', '2022-03-22', '2022-03-21T20:30:00Z'],
    ['Asia/Tehran', '2021-03-22', '2021-03-21T20:30:00Z'],
    ['Asia/Tehran', '2021-03-23', '2021-03-22T19:30:00Z'],
    ['Asia/Tehran', '2021-09-22', '2021-09-21T20:30:00Z'],
    ['Asia/Kathmandu', '2026-01-01', '2025-12-31T18:15:00Z'],
    ['Pacific/Chatham', '2026-07-01', '2026-06-30T11:15:00Z'],
    ['Australia/Lord_Howe', '2026-04-05', '2026-04-04T13:00:00Z'],
    ['Australia/Lord_Howe', '2026-04-06', '2026-04-05T13:30:00Z'],
    ['Australia/Lord_Howe', '2026-10-05', '2026-10-04T13:00:00Z'],
    // No midnight: the clocks of Beirut and Cairo go from 24:00 to 01:00.
    ['Asia/Beirut', '2026-03-29', '2026-03-28T22:00:00Z'],
    ['Asia/Beirut', '2026-03-30', '2026-03-29T21:00:00Z'],
    // Two midnights: those of Havana go from 01:00 to 00:00 of the same day.
    ['America/Havana', '2026-11-01', '2026-11-01T04:00:00Z'],
    ['America/Havana', '2026-11-02', '2026-11-02T05:00:00Z'],
    ['America/New_York', '2026-03-08', '2026-03-08T05:00:00Z'],
    ['America/New_York', '2026-03-09', '2026-03-09T04:00:00Z'],
    // Samoa left out 30 December 2011.
    ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00Z'],
    ['Pacific/Apia', '2011-12-31', '2011-12-30T10:00:00Z'],
  ] as const)
    expect([zone, day, new Date(new TimeZone(zone).startOf(day)).toISOString().replace('.000', '')]).toEqual([
      zone,
      day,
      start,
    ])
})

test('in every zone an instant lies in the day that begins before it and ends after it', () => {
  for (const name of Intl.supportedValuesOf('timeZone')) {
    const zone = new TimeZone(name)
    for (let day = '2025-12-28'; day < '2027-01-03'; day = addDays(day, 9)) {
      const start = zone.startOf(day)
      expect([name, zone.dayOf(start), zone.dayOf(start - 1)]).toEqual([name, day, addDays(day, -1)])
      expect([name, start % 900_000]).toEqual([name, 0])
    }
  }
})

test('Jalali months have their days, and a leap year its thirtieth of Esfand', () => {
  const months = (from: string, to: string) =>
    periodsOf({ from, to }, { interval: 'month', calendar: 'jalali' })
  expect(jalaliText('2025-03-20')).toBe('1403/12/30')
  expect(jalaliText('2030-03-20')).toBe('1408/12/30')
  expect(jalaliText('2027-03-20')).toBe('1405/12/29')
  expect(months('2025-03-19', '2025-03-22')).toEqual([
    { from: '2025-03-19', to: '2025-03-20' },
    { from: '2025-03-21', to: '2025-03-22' },
  ])
  const years = months('2024-03-20', '2030-03-20')
  expect(years).toHaveLength(72)
  expect(years.map(({ from }) => jalaliText(from).slice(-3))).toEqual(Array(72).fill('/01'))
  expect(years.map(({ to }) => jalaliText(to)).filter((text) => /\/12\/30$/.test(text))).toEqual([
    '1403/12/30',
    '1408/12/30',
  ])
})

test('weeks begin on Saturday, months of the Gregorian calendar on their first, and both are cut to the range', () => {
  const range = { from: '2026-11-30', to: '2026-12-12' }
  expect(periodsOf(range, { interval: 'week', calendar: 'jalali' })).toEqual([
    { from: '2026-11-30', to: '2026-12-04' },
    { from: '2026-12-05', to: '2026-12-11' },
    { from: '2026-12-12', to: '2026-12-12' },
  ])
  expect(periodsOf(range, { interval: 'month', calendar: 'gregorian' })).toEqual([
    { from: '2026-11-30', to: '2026-11-30' },
    { from: '2026-12-01', to: '2026-12-12' },
  ])
  expect(periodsOf(range, { interval: 'total', calendar: 'jalali' })).toEqual([range])
  expect(periodsOf(range, { interval: 'day', calendar: 'jalali' })).toHaveLength(13)
})

test('days and zones that do not exist are known as such', () => {
  for (const day of [
    '2026-02-29',
    '2026-02-31',
    '2026-13-01',
    '2026-1-1',
    '1405-09-09',
    '٢٠٢٦-٠١-٠١',
    '',
    '2026-01-01T00:00:00Z',
  ])
    expect([day, isDay(day)]).toEqual([day, false])
  expect(isDay('2028-02-29')).toBe(true)
  for (const zone of ['+03:30', '', 'Tehran', 'Asia/Tehran ', 'Asia/تهران', '-1'])
    expect([zone, isTimeZone(zone)]).toEqual([zone, false])
  for (const zone of ['Asia/Kathmandu', 'UTC', 'Iran']) expect([zone, isTimeZone(zone)]).toEqual([zone, true])
  expect(new TimeZone('Iran').isSameAs('Asia/Tehran')).toBe(true)
  expect(new TimeZone('Asia/Dubai').isSameAs('Asia/Tehran')).toBe(false)
})
