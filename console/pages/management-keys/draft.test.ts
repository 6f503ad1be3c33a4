import { expect, test } from 'vitest'
import { addressesOf, bodyOf, emptyDraft, endDayOf, refusedAddress } from './draft.ts'

const now = new Date('2026-11-30T12:00:00Z')
const whole = { ...emptyDraft, name: ' فروشگاه ', rights: ['keys:write'], scopes: ['models:read'] }

test('a body has what is written, and nothing is sent while something is missing', () => {
  expect(bodyOf({ ...whole, addresses: '۲۰۳.۰.۱۱۳.۷، 2001:db8::/32\n203.0.113.7' }, now)).toEqual({
    name: 'فروشگاه',
    permissions: ['keys:write'],
    key_scopes: ['models:read'],
    addresses: ['203.0.113.7', '2001:db8::/32'],
    expires_at: '2027-02-28T23:59:59+03:30',
  })
  expect(bodyOf({ ...whole, rights: ['usage:read'] }, now)).not.toHaveProperty('key_scopes')
  for (const missing of [{ name: ' ' }, { rights: [] }, { end: 'day' as const, endDay: '' }])
    expect(bodyOf({ ...whole, ...missing }, now)).toBeUndefined()
  expect(addressesOf(' ')).toEqual([])
})

test('a refused address is told by its place in the list that was sent', () => {
  const draft = { addresses: '۲۰۳.۰.۱۱۳.۷، 203.0.113.7\n0.0.0.0/0' }
  expect(refusedAddress('addresses.0', draft)).toBe('203.0.113.7')
  expect(refusedAddress('addresses.1', draft)).toBe('0.0.0.0/0')
  expect(refusedAddress('addresses.0', { addresses: 'x'.repeat(61) })).toBe(`${'x'.repeat(60)}…`)
  expect(['addresses', 'addresses.9'].map((param) => refusedAddress(param, draft))).toEqual(['', ''])
  for (const other of [undefined, 'name', 'addresses_of'])
    expect(refusedAddress(other, draft)).toBeUndefined()
})

test('the last day is within a year, Jalali or Gregorian', () => {
  const dayOf = (endDay: string) => endDayOf({ end: 'day', endDay }, now)
  expect(dayOf('1405/12/08')).toBe('2027-02-27')
  expect(dayOf('2027-11-30')).toBe('2027-11-30')
  expect(dayOf('2026-11-30')).toBe('2026-11-30')
  for (const beyond of ['2027-12-01', '2026-11-29', '۱۴۰۵/۱۳/۰۱', 'soon'])
    expect(dayOf(beyond)).toBeUndefined()
})
