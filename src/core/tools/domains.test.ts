import { expect, test } from 'vitest'
import { domainFilter, hostsOf, isDomainRule } from './domains.ts'

const allows = (rule: string, url: string) => domainFilter([rule], undefined)(new URL(url))

test.each([
  ['example.com', 'https://example.com/', true],
  ['example.com', 'https://docs.example.com/a', true],
  ['example.com', 'https://EXAMPLE.com./a', true],
  ['example.com', 'http://example.com:8080/a', true],
  ['example.com', 'https://badexample.com/', false],
  ['example.com', 'https://example.com.evil.net/', false],
  ['example.com', 'https://evil.net/?example.com', false],
  ['docs.example.com', 'https://example.com/', false],
  ['Example.COM', 'https://example.com/', true],
  ['سایت.ایران', `https://${new URL('https://سایت.ایران').hostname}/x`, true],
  ['example.com/blog', 'https://example.com/blog', true],
  ['example.com/blog', 'https://example.com/blog/2026', true],
  ['example.com/blog/', 'https://example.com/blog', true],
  ['example.com/blog', 'https://example.com/blogger', false],
  ['example.com/blog', 'https://example.com/', false],
  ['example.com/*/news', 'https://example.com/fa/news/1', true],
  ['example.com/*/news', 'https://example.com/fa/x/news', false],
  ['example.com/a.b', 'https://example.com/axb', false],
  ['example.com/وبلاگ', 'https://example.com/وبلاگ/۱', true],
  ['example.com/%D9%88%D8%A8', 'https://example.com/وب', true],
  ['example.com/%d9%88%d8%a8', 'https://example.com/%D9%88%D8%A8/a', true],
  ['example.com/وب', 'https://example.com/وبلاگ', false],
  ['example.com/blog', 'https://example.com/%62lo%67/a', true],
  ['example.com/blog', 'https://example.com/blog%2F..%2Fprivate', false],
  ['example.com/100%', 'https://example.com/100%', true],
  ['example.com/a%2541', 'https://example.com/aA', false],
])('%s and %s: %s', (rule, url, expected) => {
  expect(allows(rule, url)).toBe(expected)
  expect(domainFilter(undefined, [rule])(new URL(url))).toBe(!expected)
})

test.each([
  '',
  'localhost',
  'https://example.com',
  'example.com:80',
  'a b.com',
  '*.example.com',
  'example.com/*/*',
  'u@example.com',
  'example.com?x',
])('%j is no rule: it allows nothing and blocks nothing', (rule) => {
  expect(isDomainRule(rule)).toBe(false)
  expect(allows(rule, 'https://example.com/')).toBe(false)
  expect(domainFilter([], [rule])(new URL('https://example.com/'))).toBe(true)
})

test('without rules everything passes, and blocked wins over allowed', () => {
  const url = new URL('https://a.example.com/')
  expect(domainFilter(undefined, undefined)(url)).toBe(true)
  expect(domainFilter([], [])(url)).toBe(true)
  expect(domainFilter(['example.com'], ['a.example.com'])(url)).toBe(false)
})

test('hosts are reported once and without paths', () => {
  expect(hostsOf(['a.com/x', 'a.com/y', 'b.com', 'nonsense'])).toEqual(['a.com', 'b.com'])
})
