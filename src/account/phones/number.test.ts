import { describe, expect, test } from 'vitest'
import { isPermitted, maskedNumber, phoneNumber } from './number.ts'

const iran = ['+98']

describe('a phone number', () => {
  test.each([
    '09123456789',
    '9123456789',
    '+989123456789',
    '00989123456789',
    '989123456789',
    '+98 0912 345 6789',
    '0098 0912 345 6789',
    '۰۹۱۲۳۴۵۶۷۸۹',
    '٠٩١٢٣٤٥٦٧٨٩',
    '۰۹۱۲ ۳۴۵ ۶۷۸۹',
    '0912-345-6789',
    '(0912) 345.67/89',
    '\u200e+98\u00a0912\u2011345\u22126789\u200f',
    '\u2068۰۹۱۲۳۴۵۶۷۸۹\u2069',
    '\u061c۰۹۱۲\u200c۳۴۵۶۷۸۹\ufeff',
    '０９１２３４５６７８９',
    '＋９８９１２３４５６７８９',
  ])('typed as %j is one and the same in E.164', (typed) => {
    expect(phoneNumber(typed, iran)).toBe('+989123456789')
  })

  test.each([
    '',
    ' ',
    '+',
    '0912345678',
    '091234567890',
    '02112345678',
    '+98 21 1234 5678',
    '+9809123456',
    '++989123456789',
    '0912+3456789',
    '0912a3456789',
    'sara@example.org',
    '٫۹۱۲۳۴۵۶۷۸۹',
    '1e10',
    '+0123456789',
    `0912${' '.repeat(97)}3456789`,
    '+1234567890123456',
    '4915123456789',
    '\u0000',
    '\ud800',
  ])('is not %j', (typed) => {
    expect(phoneNumber(typed, iran)).toBeUndefined()
  })

  test('of another country is read with its sign, and without it where its beginning is permitted', () => {
    expect(phoneNumber('+49 151 23456789', iran)).toBe('+4915123456789')
    expect(phoneNumber('0049 151 23456789', iran)).toBe('+4915123456789')
    expect(phoneNumber('4915123456789', ['+98', '+49'])).toBe('+4915123456789')
    // Without Iran among the permitted ones nobody knows whose a national number is.
    expect(phoneNumber('09123456789', ['+49'])).toBeUndefined()
    expect(phoneNumber('9123456789', ['+91'])).toBe('+9123456789')
  })

  test('is permitted by its beginning, and shown to others without its middle', () => {
    expect(isPermitted('+989123456789', iran)).toBe(true)
    expect(isPermitted('+989123456789', ['+98912'])).toBe(true)
    expect(isPermitted('+989353456789', ['+98912'])).toBe(false)
    expect(isPermitted('+4915123456789', iran)).toBe(false)
    expect(maskedNumber('+989123456789')).toBe('+98…89')
  })
})
