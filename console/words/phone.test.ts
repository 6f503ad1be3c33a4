import { expect, test } from 'vitest'
import { isPhoneNumber, showPhone } from './phone.ts'

test('a number is told from an address, in any digits and with what stands between them', () => {
  for (const typed of [
    '09123456789',
    '۰۹۱۲ ۳۴۵ ۶۷۸۹',
    '+98 (912) 345-6789',
    '٠٩١٢٣٤٥٦٧٨٩',
    '\u2066+98912\u2069',
    '۰۹۱۲۳',
  ])
    expect(isPhoneNumber(typed), typed).toBe(true)
  for (const typed of ['', '0912', 'sara@example.org', '0912@example.org', '09123456789x', '+', '++98912345'])
    expect(isPhoneNumber(typed), typed).toBe(false)
})

test('a number is shown as people write it, in the digits of the language', () => {
  expect(showPhone('+989123456789', 'fa')).toBe('۰۹۱۲ ۳۴۵ ۶۷۸۹')
  expect(showPhone('+989123456789', 'en')).toBe('0912 345 6789')
  expect(showPhone('+4915123456789', 'en')).toBe('+4915123456789')
})
