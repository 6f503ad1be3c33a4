import { expect, test } from 'vitest'
import fc from '../../../tests/harness/fast-check.ts'
import { isHashed, mayBeHashed } from './hashed.ts'

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-'
const hash = fc.string({ unit: fc.constantFrom(...letters), minLength: 8, maxLength: 8 })

test('code that a build tool names is found again by open tabs, whichever hash it drew', () => {
  const found = fc
    .sample(hash, { numRuns: 1_000, seed: 17 })
    .filter((one) => mayBeHashed(`assets/menu-${one}.js`))
  // Hashes of one kind of character only look like words; three of a thousand do.
  expect(found.length).toBeGreaterThan(990)
  for (const path of [
    'assets/menu-DKlmnPQr.js',
    'a.DKlmnPQr.mjs',
    'x/style-Bcdefghi.css',
    'Vazirmatn-Regular-Aabcdefg.woff2',
  ])
    expect([path, mayBeHashed(path), isHashed(path)]).toEqual([path, true, false])
})

test('what is kept for good is found again, too', () => {
  fc.assert(
    fc.property(hash, fc.constantFrom('js', 'png', 'json', 'html'), (one, ending) => {
      const path = `assets/menu-${one}.${ending}`
      return !isHashed(path) || mayBeHashed(path)
    }),
  )
})

test('other files end with their version: words are no hashes, and of pictures and data only what is certainly named by its content', () => {
  for (const path of [
    ...['index.html', 'about-DKlmnPQr.html', 'app.js', 'jquery-3.7.1.min.js', 'my-overview.js', 'sw.js'],
    ...[
      'photo-Summer24.jpg',
      'report-finances.pdf',
      'list-DKlmnPQr.json',
      'cv-DKlmnPQr.pdf',
      'IMG-20240101.jpg',
    ],
  ])
    expect(mayBeHashed(path), path).toBe(false)
})

test.each([
  'assets/index-D7lT8Vq3.js',
  'assets/index-Bx-Yz1_3.css',
  'static/js/main.3f2a1b4c.js',
  'static/js/787.3f2a1b4c.chunk.js',
  'static/media/logo.6ce24c58023cc2f8fd88fe9d219db6c6.svg',
  'app-5XJ3K2QZ.css',
  '_next/static/chunks/webpack.js',
  '_app/immutable/entry/start.js',
  'docs/_astro/page.css',
  'fonts/vazirmatn.0b1c2d3e4f.woff2',
])('%s names its content', (path) => {
  expect(isHashed(path)).toBe(true)
})

test.each([
  'index.html',
  'assets/index-D7lT8Vq3.html',
  '_next/static/page.html',
  'style.css',
  'photo-vacation.jpg',
  'photo-summer2024.jpg',
  'report-20240101.pdf',
  'my-Document1.pdf',
  'release-iPhone15.png',
  'jquery-3.7.1.min.js',
  'jquery.min.js',
  'app-release2.js',
  'deadbeef.js',
  'sw.js',
  'manifest.webmanifest',
  'feed.decade90.xml',
])('%s is asked for again', (path) => {
  expect(isHashed(path)).toBe(false)
})
