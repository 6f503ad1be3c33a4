import { expect, test } from 'vitest'
import fc from '../../../tests/harness/fast-check.ts'
import '#platform/http'
import { checkSlug, namesOfPlatform, newPreview, slugFrom, withSuffix } from './names.ts'

const refused = (slug: string, platformNames: string[] = []): boolean => {
  try {
    checkSlug(slug, platformNames)
    return false
  } catch {
    return true
  }
}

test.each([
  'a',
  '7',
  'a-b',
  'shop',
  'my-shop-2026',
  'x'.repeat(63),
  'abcdefghijklmnopqrs',
  'abcdefghijklmnopqrstu',
])('%s may be the name of a site', (slug) => expect(refused(slug)).toBe(false))

test.each([
  ...[
    '',
    '-a',
    'a-',
    'a--b',
    'A',
    'a.b',
    'a_b',
    'فروشگاه',
    'x'.repeat(64),
    'xn--mgbqtsp',
    'a'.repeat(1_000_000),
  ],
  ...['admin', 'adm1n', 'l0gin', 'www', 'log-in', 'pay', 'api', 'rnail', 'preview-abc', 'a'.repeat(20)],
  ...['kherad', 'kherad-login', 'my-kherad', 'kher4d', 'k-h-e-r-a-d', 'well-known'],
])('%s is refused as the name of a site', (slug) => expect(refused(slug)).toBe(true))

test('nobody takes the name of the host that serves the platform', () => {
  expect(refused('acme-login', ['acme'])).toBe(true)
  expect(refused('acrne', ['acme'])).toBe(true)
  expect(refused('acme')).toBe(false)
  expect(refused('login-acmebank', ['acme-bank'])).toBe(true)
})

test.each([
  ['فروشگاه کتاب من', 'froshgah-ktab-mn'],
  ['كتابخانه‌ي ما', 'ktabkhanh-i-ma'],
  ['پروژهٔ ۱۲', 'prozhh-12'],
  ['My Café!', 'my-cafe'],
])('a slug is made of the name %s', (name, slug) => expect(slugFrom(name)).toBe(slug))

test('whatever its name, a site gets a slug that it may have', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), (name) => !refused(slugFrom(name))),
    { numRuns: 2_000 },
  )
  for (const name of ['admin', 'خرد kherad', 'preview-', 'a'.repeat(20), '🎉', ' ', 'www'])
    expect(refused(slugFrom(name)), slugFrom(name)).toBe(false)
  expect(refused(withSuffix('x'.repeat(63)))).toBe(false)
})

test('a preview host has a name of 130 random bits, which no site may choose', () => {
  expect(newPreview()).toMatch(/^preview-[a-z2-7]{26}$/)
  expect(refused(newPreview())).toBe(true)
})

test.each([
  ['https://ai.acme-bank.com', ['acme-bank']],
  ['http://127.0.0.1:8080', []],
  ['http://localhost:8080', []],
  ['https://kherad.example.co.ir', ['kherad']],
])('the names of the platform at %s are %j', (url, names) => expect(namesOfPlatform(url)).toEqual(names))
