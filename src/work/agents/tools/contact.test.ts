import { describe, expect, test } from 'vitest'
import { emailOf, phoneOf } from './contact.ts'

describe('telephone numbers', () => {
  test.each([
    ['۰۹۱۲ ۳۴۵ ۶۷۸۹', '09123456789'],
    ['٠٩١٢٣٤٥٦٧٨٩', '09123456789'],
    ['0912-345-6789', '09123456789'],
    ['+98 (912) 345.67.89', '+989123456789'],
    ['۰۰۹۸۹۱۲۳۴۵۶۷۸۹', '+989123456789'],
    ['\u202a+98\u200c912\u00a03456789\u202c', '+989123456789'],
    ['1234567', '1234567'],
    ['+123456789012345', '+123456789012345'],
  ])('%s is %s', (written, number) => {
    expect(phoneOf(written)).toBe(number)
  })

  test.each(['123456', '1234567890123456', '+', '', '0912 345 abcd', '12+345678', '++981234567'])(
    '%s is none',
    (written) => {
      expect(phoneOf(written)).toBeUndefined()
    },
  )
})

describe('e-mail addresses', () => {
  test.each([
    ['Sara.Amini+x@Example.COM', 'Sara.Amini+x@example.com'],
    [' mailto:a@b.ir ', 'a@b.ir'],
    ['a@مثال.ایران', 'a@مثال.ایران'],
    ["o'neil@mail.co.uk", "o'neil@mail.co.uk"],
    [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
    [`a@${'b'.repeat(63)}.com`, `a@${'b'.repeat(63)}.com`],
  ])('%s is %s', (written, address) => {
    expect(emailOf(written)).toBe(address)
  })

  test.each([
    'a',
    'a@',
    '@b.ir',
    'a@b',
    'a b@c.ir',
    'a@b@c.ir',
    'a..b@c.ir',
    '.a@c.ir',
    'a@-b.ir',
    'a@b.1',
    'a@b..ir',
    '<a@b.ir>',
    `${'a'.repeat(65)}@b.ir`,
    `a@${'b'.repeat(64)}.com`,
    `a@${'b.'.repeat(130)}ir`,
  ])('%s is none', (written) => {
    expect(emailOf(written)).toBeUndefined()
  })
})
