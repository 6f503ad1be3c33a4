import { describe, expect, test } from 'vitest'
import { returnPath } from './return-path.ts'

describe('a page to return to is a path of this origin alone', () => {
  test.each([
    ['/', '/'],
    ['/keys', '/keys'],
    ['/keys?project=1&q=a%20b#top', '/keys?project=1&q=a%20b#top'],
    ['/حساب', '/%D8%AD%D8%B3%D8%A7%D8%A8'],
    ['/a/../b', '/b'],
    ['/a?q=100%&r=//b', '/a?q=100%&r=//b'],
    ['/a?next=https://example.org/', '/a?next=https://example.org/'],
  ])('%s is kept', (text, path) => {
    expect(returnPath(text)).toBe(path)
  })

  test.each([
    '',
    'keys',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '\\/evil.example',
    'https:evil.example',
    'https://evil.example',
    'HTTPS:/\\evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    '/%2f%2fevil.example',
    '/%2Fevil.example',
    '/%5cevil.example',
    '/%255cevil.example',
    '/%252fevil.example',
    '/./%2f/evil.example',
    '/.//evil.example',
    '/a/..//evil.example',
    '/%2e//evil.example',
    '/a//evil.example',
    '/\tevil',
    '/\n/evil.example',
    '\t//evil.example',
    ' //evil.example',
    '/%09/evil.example',
    '/%0d%0aset-cookie:a=b',
    '/\u0000',
    '/\u202e/live',
    '/%',
    '/%ff',
    `/${'a'.repeat(1_000)}`,
  ])('%.40j is refused', (text) => {
    expect(returnPath(text)).toBeUndefined()
  })
})
