import { expect, test } from 'vitest'
import { isHashed } from './hashed.ts'

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
