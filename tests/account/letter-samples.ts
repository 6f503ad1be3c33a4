/** One letter of each kind as it is usual, and one with names that a hostile stranger has chosen. */
import { composeLetter, type LetterLocale, type NewLetter, type TypedLetter } from '#account/letters'

/** The token of the links of samples. */
const link = `https://kherad.example.org/invitation#${'Ab3'.repeat(14)}x`
const at = new Date('2026-11-30T06:02:00Z')
const endsAt = new Date('2026-12-07T20:30:00Z')

/** Names in the other language of the letter, as they come in life. */
const names = {
  fa: { account: 'شرکت نمونه', inviter: 'Sara Ahmadi', project: 'Web shop', key: 'سرور تولید' },
  en: { account: 'شرکت نمونه', inviter: 'سارا احمدی', project: 'Web shop', key: 'Production server' },
}

const browser =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/148.0.0.0 Safari/537.36'

export function samplesOf(locale: LetterLocale, hostile?: string): TypedLetter[] {
  const usual = names[locale]
  const named = (words: string): string => hostile ?? words
  const { account, inviter, project, key } = usual
  return [
    { kind: 'sign_in_code', data: { code: '406218', minutes: 10 } },
    { kind: 'sign_up_code', data: { code: '406218', minutes: 10 } },
    { kind: 'sign_up_exists', data: {} },
    { kind: 'email_change_code', data: { code: '406218', minutes: 10 } },
    {
      kind: 'email_changed',
      data: { newEmailMasked: named('s•••@example.org'), undoLink: link, days: 7 },
    },
    { kind: 'email_restored', data: { at } },
    { kind: 'password_reset', data: { link, minutes: 60 } },
    { kind: 'password_changed', data: { at } },
    { kind: 'phone_changed', data: { numberMasked: named('+98…89'), change: 'changed', at } },
    { kind: 'phone_changed', data: { numberMasked: named('+98…89'), change: 'removed', at } },
    { kind: 'phone_changed', data: { numberMasked: named('+98…89'), change: 'taken', at } },
    { kind: 'factor_added', data: { factor: 'totp', at } },
    { kind: 'factor_removed', data: { factor: 'passkey', at } },
    { kind: 'factor_reset_requested', data: { dueAt: endsAt, cancelLink: link } },
    { kind: 'passkey_copied', data: { passkey: named('iPhone'), at } },
    { kind: 'identity_linked', data: { provider: named('Acme ID'), at } },
    { kind: 'identity_unlinked', data: { provider: named('Acme ID'), at } },
    { kind: 'new_device', data: { device: named(browser), at, from: named('2001:db8::7f3a:0:1') } },
    {
      kind: 'invitation',
      data: { account: named(account), inviter: named(inviter), role: 'developer', link, days: 7 },
    },
    { kind: 'operator_added', data: { email: named('sara@example.org'), at } },
    { kind: 'operator_removed', data: { name: named(inviter), by: 'command', at } },
    { kind: 'operator_removed', data: { name: named(inviter), by: 'self', at } },
    { kind: 'password_reset_by_operator', data: { at } },
    {
      kind: 'threshold_reached',
      data: {
        account: named(account),
        of: { scope: 'project', period: 'month', name: named(project) },
        ...{ percent: 80, spent: 8_012_345n, cap: 10_000_000n },
      },
    },
    {
      kind: 'threshold_reached',
      data: {
        account: named(account),
        of: { scope: 'account', period: 'total', name: named(account) },
        ...{ percent: 100, spent: 500n, cap: 500n },
      },
    },
    { kind: 'balance_low', data: { account: named(account), balance: 1_234n } },
    { kind: 'sms_spent', data: { messages: 500, at } },
    { kind: 'key_ending', data: { key: named(key), project: named(project), endsAt } },
    { kind: 'management_key_ending', data: { key: named(key), account: named(account), endsAt } },
    {
      kind: 'management_key_made',
      data: { key: named(key), account: named(account), by: named(inviter), endsAt, at },
    },
    { kind: 'management_key_ended', data: { key: named(key), account: named(account), at } },
    { kind: 'export_ready', data: { page: link, endsAt } },
    { kind: 'export_failed', data: { page: link, at } },
    { kind: 'person_leaving', data: { accounts: [named(account), named(project)], endsAt, page: link } },
    { kind: 'person_leaving', data: { accounts: [], endsAt, page: link } },
    { kind: 'person_kept', data: { at } },
    { kind: 'person_deleted', data: { at } },
    { kind: 'account_closing', data: { account: named(account), by: named(inviter), endsAt, page: link } },
    { kind: 'account_closing', data: { account: named(account), by: null, endsAt, page: link } },
    { kind: 'account_kept', data: { account: named(account), by: named(inviter), at } },
    { kind: 'account_deleted', data: { account: named(account), at } },
    { kind: 'removed_from_account', data: { account: named(account) } },
  ]
}

export const sampleLink = link

export const composeSample = (letter: TypedLetter, locale: LetterLocale) =>
  composeLetter(letter, { locale, time_zone: 'Asia/Tehran' })

/** The same as a letter to somebody. */
export const letterTo = (to: string, letter: TypedLetter, locale: LetterLocale): NewLetter => ({
  ...letter,
  to,
  locale,
})

/** Names that somebody may choose to have a mail program make a link of them, or to break the letter. */
export const hostileNames: readonly string[] = [
  'https://evil.example',
  'http://evil.example/login?x=1#y',
  'www.evil.com',
  'evil.com/pay',
  'evil.com',
  'EVIL。COM',
  'evil．com',
  'a@b.com',
  'mailto:a@b.com',
  'tel:+982112345678',
  'javascript:alert(1)',
  'kherad.example.org\u202emoc.live',
  '\u2067evil.com\u2069 \u061cx',
  'ev\u200bil.com',
  'x'.repeat(120),
  'ن'.repeat(120),
  'line\r\nBcc: b@evil.com\n\nwww.evil.com',
  '<b>bold</b><a href="https://evil.com">x</a><img src=https://evil.com/x.png>',
  '</td></tr></table>"\'&amp;',
  '[click](https://evil.com)',
  '192.168.1.1',
  '\u0000\u0007evil.com',
]
