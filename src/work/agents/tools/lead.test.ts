import { describe, expect, test } from 'vitest'
import { handoffOf } from './handoff.ts'
import { leadOf } from './lead.ts'

const agreed = { consent_text: 'May we keep your number?', consent_given: true }
const wrong = (about: string) => ({ wrong: expect.stringContaining(about) })

test('a lead is what was given, clean, and null for the rest', () => {
  const given = { ...agreed, name: ' سارا\u202e\u0000 ', phone: '۰۹۱۲۳۴۵۶۷۸۹', note: 'a\u0007b', more: 1 }
  expect(leadOf(given)).toEqual({
    lead: { name: 'سارا', phone: '09123456789', email: null, company: null, note: 'ab' },
    consent: 'May we keep your number?',
  })
})

describe('no lead', () => {
  test.each([
    ['without consent', { phone: '1234567' }, 'consent'],
    ['without its sentence', { phone: '1234567', consent_given: true }, 'consent'],
    ['where consent was not given', { ...agreed, consent_given: false, phone: '1234567' }, 'consent'],
    ['where consent is only a word', { ...agreed, consent_given: 'true', phone: '1234567' }, 'consent'],
    [
      'of a sentence of 9 characters',
      { ...agreed, consent_text: 'x'.repeat(9), phone: '1234567' },
      'consent_text',
    ],
    [
      'of a sentence of 501 characters',
      { ...agreed, consent_text: 'x'.repeat(501), phone: '1234567' },
      'consent_text',
    ],
    ['without a way to reach anybody', { ...agreed, name: 'Sara' }, 'phone or email'],
    ['with a number that is none', { ...agreed, phone: '12' }, 'phone'],
    [
      'with an address that is none, though there is a number',
      { ...agreed, phone: '1234567', email: 'x' },
      'email',
    ],
    ['with a name of 121 characters', { ...agreed, phone: '1234567', name: 'x'.repeat(121) }, 'name'],
    [
      'with a company of 121 characters',
      { ...agreed, phone: '1234567', company: 'x'.repeat(121) },
      'company',
    ],
    ['with a note of 1001 characters', { ...agreed, phone: '1234567', note: 'x'.repeat(1001) }, 'note'],
    ['of nothing', null, 'consent'],
  ])('%s', (_, input, about) => {
    expect(leadOf(input)).toEqual(wrong(about))
  })
})

test('the longest of everything is kept', () => {
  const maxFields = { name: '🙂'.repeat(120), company: 'x'.repeat(120), note: 'x'.repeat(1000) }
  const consent = 'x'.repeat(500)
  expect(leadOf({ ...maxFields, phone: '1234567', consent_text: consent, consent_given: true })).toEqual({
    lead: { ...maxFields, phone: '1234567', email: null },
    consent,
  })
})

test('a handoff has a reason, a summary and an urgency', () => {
  const payload = { reason: 'x'.repeat(300), summary: 'y'.repeat(2000) }
  expect(handoffOf({ ...payload, urgency: 'high' })).toEqual({ ...payload, urgency: 'high' })
  for (const urgency of [undefined, 'now', 3])
    expect(handoffOf({ ...payload, urgency })).toMatchObject({ urgency: 'normal' })
  for (const input of [{}, null, { reason: 'x' }, { summary: 'x' }, { ...payload, reason: ' ' }])
    expect(handoffOf(input)).toEqual(wrong('reason and summary'))
  expect(handoffOf({ ...payload, reason: 'x'.repeat(301) })).toEqual(wrong('reason'))
  expect(handoffOf({ ...payload, summary: 'x'.repeat(2001) })).toEqual(wrong('summary'))
})
