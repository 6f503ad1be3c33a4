import { expect, test } from 'vitest'
import { addDays, dayInTehran, endOfDay, readDay, writeDay } from './tehran-days.ts'

test.each([
  ['۱۴۰۵/۱۲/۰۸', '2027-02-27'],
  ['1405/12/8', '2027-02-27'],
  ['۱۴0٥-١2-۸', '2027-02-27'],
  [' ۱۴۰۵ / ۱۲ / ۰۸ ', '2027-02-27'],
  ['۱۴۰۵٫۱۲٫۰۸', '2027-02-27'],
  ['2027-02-27', '2027-02-27'],
  ['۲۰۲۷/۰۲/۲۷', '2027-02-27'],
  ['1406/01/01', '2027-03-21'],
  ['1406/06/31', '2027-09-22'],
  ['1406/07/01', '2027-09-23'],
  ['1403/12/30', '2025-03-20'],
  ['1404/01/01', '2025-03-21'],
  ['1408/12/30', '2030-03-20'],
  ['1409/01/01', '2030-03-21'],
  ['2028-02-29', '2028-02-29'],
])('%s is the day %s', (typed, day) => {
  expect(readDay(typed)).toBe(day)
})

test.each([
  '',
  '1405',
  '1405/13/01',
  '1405/00/10',
  '1405/12/00',
  '1405/12/30',
  '1404/12/30',
  '1407/12/30',
  '1405/07/31',
  '2027-02-29',
  '2027-04-31',
  '0005/12/08',
  '1405/12/08/1',
  '۸ اسفند ۱۴۰۵',
])('%s is no day', (typed) => {
  expect(readDay(typed)).toBeUndefined()
})

test('every day of seven years is read as it is written, in both languages', () => {
  for (let day = '2024-03-19'; day < '2031-03-25'; day = addDays(day, 1)) {
    expect(readDay(writeDay('fa', day)), day).toBe(day)
    expect(readDay(writeDay('en', day))).toBe(day)
  }
})

test('a day is written as people of the language type it', () => {
  expect(writeDay('fa', '2027-02-27')).toBe('۱۴۰۵/۱۲/۰۸')
  expect(writeDay('en', '2027-02-27')).toBe('2027-02-27')
})

test('a day begins and ends in Tehran', () => {
  expect(dayInTehran(new Date('2026-11-30T20:29:59Z'))).toBe('2026-11-30')
  expect(dayInTehran(new Date('2026-11-30T20:30:00Z'))).toBe('2026-12-01')
  expect(new Date(endOfDay('2027-02-27')).toISOString()).toBe('2027-02-27T20:29:59.000Z')
  expect(dayInTehran(new Date(endOfDay('2027-02-27')))).toBe('2027-02-27')
})

test('days are added across months and years', () => {
  expect(addDays('2026-11-30', 30)).toBe('2026-12-30')
  expect(addDays('2026-11-30', 365)).toBe('2027-11-30')
})
