import { expect, test } from 'vitest'
import { mediaTypeByName } from './media-types.ts'

test.each([
  ['index.html', 'text/html; charset=utf-8'],
  ['a/B.HTM', 'text/html; charset=utf-8'],
  ['app.3f2a.js', 'text/javascript; charset=utf-8'],
  ['app.mjs', 'text/javascript; charset=utf-8'],
  ['style.css', 'text/css; charset=utf-8'],
  ['data.json', 'application/json'],
  ['app.js.map', 'application/json'],
  ['site.webmanifest', 'application/manifest+json'],
  ['logo.svg', 'image/svg+xml'],
  ['favicon.ico', 'image/x-icon'],
  ['وزیر.woff2', 'font/woff2'],
  ['feed.xml', 'application/xml'],
  ['film.mp4', 'video/mp4'],
  ['code.wasm', 'application/wasm'],
  ['.well-known/security.txt', 'text/plain; charset=utf-8'],
  ['.well-known/apple-app-site-association', 'application/json'],
  ['CNAME', 'application/octet-stream'],
  ['a.html/b', 'application/octet-stream'],
  ['a.unknown', 'application/octet-stream'],
  ['a.', 'application/octet-stream'],
  ['a.constructor', 'application/octet-stream'],
  ['a.__proto__', 'application/octet-stream'],
])('%s is %s', (path, mediaType) => {
  expect(mediaTypeByName(path)).toBe(mediaType)
})
