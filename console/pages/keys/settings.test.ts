import { expect, test } from 'vitest'
import { bodyOf, draftOf, emptyDraft, endOf, isRaised, type Key, partValue, unreadable } from './settings.ts'

const now = new Date('2026-11-30T21:00:00Z')
const draft = { ...emptyDraft, name: '  وب‌سایت ', scopes: ['models:read'] }

test('a body has what was typed, in any digits, and leaves out what is not limited', () => {
  expect(bodyOf({ ...draft, end: 'never' }, now)).toEqual({ name: 'وب‌سایت', scopes: ['models:read'] })
  expect(
    bodyOf(
      {
        ...draft,
        month_cap_credits: '۵٬۰۰۰',
        cap_credits: '12,500',
        keep_days: '٠',
        end: 'day',
        endDay: '۱۴۰۵/۱۲/۰۸',
        models: ['acme/fast'],
        origins: 'https://a.example\n https://b.example، https://c.example',
      },
      now,
    ),
  ).toEqual({
    name: 'وب‌سایت',
    scopes: ['models:read'],
    month_cap_credits: 5_000,
    cap_credits: 12_500,
    keep_days: 0,
    expires_at: '2027-02-27T23:59:59+03:30',
    models: ['acme/fast'],
    origins: ['https://a.example', 'https://b.example', 'https://c.example'],
  })
})

test('days of the end are counted from today in Tehran', () => {
  expect(endOf({ end: '30', endDay: '' }, now)).toBe('2026-12-31')
  expect(endOf({ end: 'never', endDay: '1405/12/08' }, now)).toBeNull()
  expect(endOf({ end: 'day', endDay: '1405/12/30' }, now)).toBeUndefined()
  expect(endOf({ end: 'day', endDay: '1405/01/01' }, now)).toBeUndefined()
})

test('what cannot be read is named and not sent', () => {
  expect(unreadable(emptyDraft, now)).toEqual(['name', 'scopes'])
  expect(unreadable({ ...draft, month_cap_credits: 'زیاد', end: 'day' }, now)).toEqual([
    'month_cap_credits',
    'expires_at',
  ])
  expect(unreadable({ ...draft, end: 'day' }, now, ['scopes'])).toEqual([])
})

const key: Key = {
  id: '1',
  project_id: '2',
  name: 'web',
  hint: 'Lk0a',
  state: 'active',
  scopes: ['models:read'],
  month_cap_credits: 5_000,
  cap_credits: null,
  rate_per_minute: null,
  concurrency: 2,
  keep_days: 0,
  responses_max_output_tokens: null,
  models: null,
  origins: ['https://a.example'],
  expires_at: '2027-02-27T20:29:59.000Z',
  spent_credits: 0,
  month_spent_credits: 0,
  made_by_management_key: null,
  made_by: null,
  last_used_on: null,
  revoked_at: null,
  created_at: '2026-11-30T00:00:00.000Z',
}

test('a key that is opened for a change and saved as it stands stays as it is', () => {
  const opened = draftOf(key, 'fa', String)
  expect(opened.endDay).toBe('۱۴۰۵/۱۲/۰۸')
  const { name, scopes, month_cap_credits, concurrency, keep_days, origins } = key
  expect(bodyOf(opened, now)).toEqual({
    ...{ name, scopes, month_cap_credits, concurrency, keep_days, origins },
    expires_at: '2027-02-27T23:59:59+03:30',
  })
  expect(partValue(opened, 'cap_credits', now)).toBeNull()
  expect(draftOf({ ...key, state: 'expired' }, 'fa', String)).toMatchObject({ end: '90', endDay: '' })
})

test('a limit is raised by a higher one or by none, and never where there was none', () => {
  expect(isRaised(5, 6)).toBe(true)
  expect(isRaised(5, null)).toBe(true)
  expect(isRaised(5, 5)).toBe(false)
  expect(isRaised(5, 0)).toBe(false)
  expect(isRaised(null, 9)).toBe(false)
})
