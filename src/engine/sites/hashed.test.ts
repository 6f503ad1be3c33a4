import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isHashed, mayBeHashed } from './hashed.ts'

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-'
const hash = fc.string({ unit: fc.constantFrom(...letters), minLength: 8, maxLength: 8 })

test('code that a build tool names is found again by open tabs, whichever hash it drew', () => {
  const found = fc
    .sample(hash, { numRuns: 1_000, seed: 17 })
    .filter((one) => mayBeHashed(`assets/menu-${one}.js`))
  // Hashes of one kind of character only are words; three of a thousand are.
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
