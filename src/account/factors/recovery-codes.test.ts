import { expect, test } from 'vitest'
import { newRecoveryCodes, readRecoveryCode } from './recovery-codes.ts'

test('ten different codes are made, and each is read as it is shown, in capitals, without hyphens and in Persian digits', () => {
  const codes = newRecoveryCodes()
  expect(new Set(codes).size).toBe(10)
  for (const code of codes) {
    const bare = code.replaceAll('-', '')
    const persian = code.replace(/\d/g, (digit) => '۰۱۲۳۴۵۶۷۸۹'[Number(digit)]!)
    for (const text of [code, code.toUpperCase(), bare, ` ${bare.slice(0, 5)} ${bare.slice(5)} `, persian])
      expect(readRecoveryCode(text), text).toBe(bare)
  }
})

test('letters that are mistaken for digits are read as these, and what cannot be a code is refused', () => {
  expect(readRecoveryCode('Oil0-abcd-efgh')).toBe('0110abcdefgh')
  for (const text of ['', 'k3m9-x7qp-2h4', 'k3m9-x7qp-2h4tt', 'u3m9-x7qp-2h4t', 'k3m9/x7qp/2h4t'])
    expect(readRecoveryCode(text), text).toBeUndefined()
})
