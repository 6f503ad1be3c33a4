import { describe, expect, test } from 'vitest'
import { appPasswordRules, examinePassword, normalizedPassword, personPasswordRules } from './passwords.ts'

const ofPerson = (password: string) => examinePassword(personPasswordRules, password)

describe('a password of a person', () => {
  test('has 10 to 128 characters, each edge included', () => {
    expect(ofPerson('abcdefgh1')).toEqual({ weakness: 'short' })
    expect(ofPerson('abcdefghx1')).toEqual({ password: 'abcdefghx1' })
    const longest = `${'گلابدره'.repeat(18)}آب`
    expect(ofPerson(longest)).toEqual({ password: longest })
    expect(ofPerson(`${longest}ی`)).toEqual({ weakness: 'long' })
    const faces = '😀😁😂😃'.repeat(32)
    expect(ofPerson(faces)).toEqual({ password: faces })
    expect(ofPerson('x'.repeat(1_000_000))).toEqual({ weakness: 'long' })
  })

  test('is not among those that many people have, in whatever letters and digits', () => {
    for (const common of [
      'qwertyuiop',
      'Password123',
      '۱۲۳۴۵۶۷۸۹۰',
      'ＱＷＥＲＴＹＵＩＯＰ',
      'aaaaaaaaaaaa',
      '1212121212',
    ])
      expect(ofPerson(common)).toEqual({ weakness: 'common' })
  })

  test('is the same from every keyboard and in every composition', () => {
    const typed = normalizedPassword(personPasswordRules, 'كيك ۱۲۳ é ﬁ')
    expect(typed).toBe(normalizedPassword(personPasswordRules, 'کیک 123 e\u0301 fi'))
  })
})

test('a password of an app user has 6 characters to 256 bytes, and may be common', () => {
  const ofUser = (password: string) => examinePassword(appPasswordRules, password)
  expect(ofUser('12345')).toEqual({ weakness: 'short' })
  expect(ofUser('123456')).toEqual({ password: '123456' })
  expect(ofUser('é'.repeat(128))).toEqual({ password: 'é'.repeat(128) })
  expect(ofUser('é'.repeat(129))).toEqual({ weakness: 'long' })
  expect(normalizedPassword(appPasswordRules, 'ﬁ')).toBe('ﬁ')
})
