/** Tests the end of a turn by its last words. */
import { expect, test } from 'vitest'
import fc, { anyCharacter } from '../../../../tests/harness/fast-check.ts'
import { endOf, isBackchannel, isQuestion, waitMsOf } from './words-of-end.ts'

test.each([
  ['sure', 'نزدیک‌ترین داروخانه کجاست'],
  ['sure', 'صورتحساب رو برام ایمیل کنید'],
  ['sure', 'می‌شه شماره‌شو بهم بدی'],
  ['sure', 'می‌خوام اشتراکم رو لغو کنم'],
  ['sure', 'دو تا بلیت می‌خوام'],
  ['sure', 'تلویزیونمون روشن نمی‌شه'],
  ['sure', 'اونی که سفارش دادم کِی می‌رسه'],
  ['sure', 'اگه دیر شد بهم زنگ بزنید'],
  ['sure', 'خیلی ممنون'],
  ['sure', 'امشب میای خونه؟'],
  ['sure', 'پنجشنبه‌ها بازید درسته'],
  ['neutral', 'سلام وقتتون بخیر'],
  ['neutral', 'ماه پیش یه لپ‌تاپ خریدم'],
  ['neutral', 'برای شنبه صبح ساعت ۹'],
  ['neutral', 'اسم من مریم است'],
  ['open', 'رفتم بانک و'],
  ['open', 'می‌خواستم'],
  ['open', 'فکر می‌کنم'],
  ['open', 'گوشیمو'],
  ['open', 'اگه پول رو واریز کنم'],
  ['open', 'کتابی که هفته‌ی پیش گرفتم'],
  ['open', 'همسایه‌مون گفت'],
  ['open', 'قرار بود'],
  ['open', 'یه لحظه یعنی'],
  ['open', 'خب من...'],
  ['sure', 'can you call me back tomorrow'],
  ['sure', 'thank you'],
  ['open', 'I was thinking about'],
  ['open', 'if the package arrives late'],
])('the end is %s of «%s»', (end, text) => {
  expect(endOf(text, false)).toBe(end)
})

test('to a question a noun, a number and a statement are answers', () => {
  for (const text of ['برای شنبه صبح', '۳۲', 'ماه پیش خریدم', 'بله'])
    expect([text, endOf(text, true)]).toEqual([text, 'brief'])
  expect(endOf('صفر نهصد و دوازده سیصد', true)).toBe('neutral')
  expect(waitMsOf('برای شنبه صبح', true)).toBe(500)
  expect(waitMsOf('برای شنبه صبح', false)).toBe(1_000)
})

test('spelling changes nothing: Arabic letters, half-spaces, spaces, short vowels, digits', () => {
  for (const text of ['نمي‌خواهم', 'نمی خواهم', 'نمیخواهم', 'نِمی‌خواهم'])
    expect(endOf(`این کیف را ${text}`, false)).toBe('sure')
  for (const text of ['كتاب رو خونده ام و', 'کتاب رو خونده‌ام و']) expect(endOf(text, false)).toBe('open')
  for (const text of ['ساعت 9', 'ساعت ۹', 'ساعت ٩']) expect(endOf(text, false)).toBe('neutral')
})

test('who says yes listens; who says no, or more, does not', () => {
  for (const text of ['بله', 'آره، آره.', 'اوهوم', 'خب', 'باشه', 'yes', 'Mm-hm'])
    expect([text, isBackchannel(text)]).toEqual([text, true])
  for (const text of ['', 'نه', 'صبر کن', 'بله ولی گرونه', 'آره آره آره', 'no'])
    expect([text, isBackchannel(text)]).toEqual([text, false])
})

test('a question of the assistant is known by its mark, or by its words', () => {
  for (const text of ['برای چه روزی؟', 'اسم شما چیه', 'Which day?']) expect(isQuestion(text)).toBe(true)
  for (const text of ['نوبت شما ثبت شد.', '']) expect(isQuestion(text)).toBe(false)
})

test('of 12,000 characters the last thousand are read, whatever they are', () => {
  expect(endOf(`${'می‌خواهم که '.repeat(1_100)} ساعت چند است`, false)).toBe('sure')
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 200 }), fc.boolean(), (text, wasAsked) => {
      const tail = text.padStart(1_000, 'و ')
      expect(endOf('که '.repeat(3_600) + tail, wasAsked)).toBe(endOf(tail, wasAsked))
      expect(waitMsOf(text, wasAsked)).toBeGreaterThanOrEqual(250)
    }),
  )
})
