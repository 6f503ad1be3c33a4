import { expect, test } from 'vitest'
import { sameName } from './same-name.ts'

test.each([
  ['ربات پشتيباني', 'ربات پشتیبانی'],
  ['كليد ۱۲', 'کلید 12'],
  ['نیم‌فاصله', 'نیم فاصله'],
  [' Production ', 'production'],
])('%j is typed for %j', (typed, name) => {
  expect(sameName(typed, name)).toBe(true)
})

test.each([
  ['', 'production'],
  ['produktion', 'production'],
  ['کلید ۱', 'کلید ۱۲'],
])('%j is not typed for %j', (typed, name) => {
  expect(sameName(typed, name)).toBe(false)
})
