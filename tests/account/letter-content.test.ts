/** What letters to people look like, whatever names strangers have chosen. */
import { describe, expect, test } from 'vitest'
import { composeLetter, type LetterLocale } from '#account/letters'
import { composeSample, hostileNames, sampleLink, samplesOf } from './letter-samples.ts'

const locales: readonly LetterLocale[] = ['fa', 'en']
const everyone = locales.flatMap((locale) =>
  samplesOf(locale).map((letter) => ({ letter, locale, name: `${letter.kind} in ${locale}` })),
)

const wordsOf = (html: string): string =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')

test('every kind of letter is written in both languages: a table whose cells have their direction, and no resource from outside', () => {
  for (const { letter, locale, name } of everyone) {
    const { subject, text, html } = composeSample(letter, locale)
    const direction = locale === 'fa' ? 'rtl' : 'ltr'
    const cells = html.match(/<td[^>]*>/g) ?? []
    expect(cells.length, name).toBeGreaterThan(5)
    expect(
      cells.filter((cell) => !cell.includes(` dir="${direction}"`)),
      name,
    ).toEqual([])
    expect(html, name).not.toMatch(/<style|<script|<img|<link|class=|url\(|@import|src=/)
    const addresses = html.match(/https?:[^"<\s]+/g) ?? []
    expect(
      addresses.filter((address) => address !== sampleLink),
      name,
    ).toEqual([])
    expect(Buffer.byteLength(html), name).toBeLessThan(100 * 1024)
    expect(text.length, name).toBeGreaterThan(60)
    expect(subject, name).not.toMatch(/[\r\n<>]/)
    // Every sentence is in the language of the letter.
    expect(/[\u0600-\u06ff]/.test(subject), name).toBe(locale === 'fa' || /شرکت/.test(subject))
    if ('code' in letter.data) expect(html, name).toContain(`dir="ltr"`)
  }
})

describe('names that strangers have chosen', () => {
  test.each(hostileNames)('are shown as plain text: %j', (hostile) => {
    for (const locale of locales)
      for (const letter of samplesOf(locale, hostile)) {
        const { subject, text, html } = composeSample(letter, locale)
        const name = `${letter.kind} in ${locale}`
        const links = html.match(/href="[^"]*"/g) ?? []
        expect(
          links.filter((link) => link !== `href="${sampleLink}"`),
          name,
        ).toEqual([])
        expect(html, name).not.toMatch(/<(?:b|img|script)[ >]/)
        // The table is whole.
        expect(html.match(/<td/g)?.length, name).toBe(html.match(/<\/td>/g)?.length)
        for (const shown of [subject, text, wordsOf(html)]) {
          const others = shown.replaceAll(sampleLink, '').replace(/2001:db8\S*|192\.168\.1\.1/g, '')
          // Nothing that mail programs make a link of: schemes, domains and addresses without a space in them.
          expect(others, name).not.toMatch(/(?:https?|mailto|tel|javascript):\S/i)
          expect(others, name).not.toMatch(/[\p{L}\p{N}][.。．｡][\p{L}]{2,}/u)
          expect(others, name).not.toMatch(/\S@\S/)
          expect(others, name).not.toMatch(/[\u202a-\u202e\u061c\u200b]/)
        }
        expect(subject, name).not.toMatch(/\p{Cc}/u)
        expect(Buffer.byteLength(html), name).toBeLessThan(100 * 1024)
      }
  })

  test('are isolated from the direction of the sentence in subject, text and page', () => {
    const data = { account: 'Acme (x)' }
    const { subject, text, html } = composeSample({ kind: 'removed_from_account', data }, 'fa')
    expect(subject).toContain('\u2068Acme (x)\u2069')
    expect(text).toContain('\u2068Acme (x)\u2069')
    expect(html).toContain('<bdi dir="auto">Acme (x)</bdi>')
  })
})

test('moments are those of the calendar and the zone of the person', () => {
  const letter = { kind: 'password_changed', data: { at: new Date('2026-11-30T21:02:00Z') } } as const
  const written = (locale: LetterLocale, time_zone: string | null) =>
    composeLetter(letter, { locale, time_zone }).text.replaceAll('\u00a0', ' ')
  expect(written('fa', 'Asia/Tehran')).toContain('سه‌شنبه ۱۰ آذر ۱۴۰۵، ساعت ۰۰:۳۲ (وقت ایران)')
  expect(written('fa', null)).toContain('سه‌شنبه ۱۰ آذر ۱۴۰۵، ساعت ۰۰:۳۲ (وقت ایران)')
  expect(written('en', 'America/New_York')).toContain('Monday, 30 November 2026, 16:02 (GMT-5)')
  expect(written('en', 'No/Such_Zone')).toContain('Tuesday, 1 December 2026, 00:32 (GMT+3:30)')
})

test('a code is written in Latin digits, apart from the direction of a Persian letter', () => {
  const { html, text } = composeSample({ kind: 'sign_in_code', data: { code: '406218', minutes: 10 } }, 'fa')
  expect(html).toMatch(/<bdi dir="ltr"[^>]*>406218<\/bdi>/)
  expect(text).toContain('406218')
  expect(text).toContain('۱۰ دقیقه')
})
