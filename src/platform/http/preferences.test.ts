import { expect, test } from 'vitest'
import {
  acceptedEncodings,
  acceptedQuality,
  acceptsByName,
  prefersByName,
  refusesType,
} from './preferences.ts'

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'

test.each([
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['text/*', false],
  ['application/json', false],
  ['text/html', true],
  ['Text/HTML; charset=utf-8', true],
  ['text/html;q=0', false],
  ['text/html ; Q=0.000', false],
  ['text/html;q=0, */*', false],
  ['*/*, text/html;q=0.001', true],
  ['text/html;q=', true],
  ['text/html;q=-1', false],
  ['x-text/html', false],
  [browser, true],
  [','.repeat(16_000), false],
  [';q=0'.repeat(4_000), false],
] as const)('Accept %j names pages and takes them: %j', (accept, takes) => {
  expect(acceptsByName(accept, 'text/html')).toBe(takes)
})

test.each([
  [undefined, 1],
  ['', 0],
  ['*/*;q=0.3', 0.3],
  ['text/*;q=0.5, */*;q=0.3', 0.5],
  ['text/html;q=0, text/*, */*', 0],
  ['application/json', 0],
  ['text/html;q=7', 1],
] as const)('by Accept %j a page has the quality %j', (accept, quality) => {
  expect(acceptedQuality(accept, 'text/html')).toBe(quality)
})

test.each([
  ['text/html;q=0', true],
  ['text/html; Q=0.000, */*', true],
  ['*/*;q=0', true],
  ['text/*;q=0, application/json', true],
  ['text/html, */*;q=0', false],
  ['text/html;q=0.1', false],
  ['application/json', false],
  ['application/json;q=0', false],
  ['*/*', false],
  ['', false],
  [undefined, false],
  [browser, false],
] as const)('Accept %j refuses pages by name: %j', (accept, refuses) => {
  expect(refusesType(accept, 'text/html')).toBe(refuses)
})

test('a named form is preferred unless another one is wanted more', () => {
  const prefers = (accept: string) => prefersByName(accept, 'text/html', 'application/json')
  expect(
    ['text/html', browser, 'application/json, text/html', 'text/html;q=0.5, */*;q=0.5'].map(prefers),
  ).toEqual([...[true, true, true, true]])
  expect(
    ['application/json, text/html;q=0.9', 'text/html;q=0', '*/*', 'application/json'].map(prefers),
  ).toEqual([...[false, false, false, false]])
})

test('encodings come in the order of their qualities, and one of quality 0 does not come', () => {
  const accepted = (header?: string) => acceptedEncodings(header, ['br', 'gzip'])
  expect(accepted('gzip, br')).toEqual(['br', 'gzip'])
  expect(accepted('br;q=0.1, gzip;q=0.9')).toEqual(['gzip', 'br'])
  expect(accepted('br;q=0, *')).toEqual(['gzip'])
  expect([undefined, '', 'identity', 'br;q=0, gzip;q=0', 'brr'].flatMap(accepted)).toEqual([])
})
