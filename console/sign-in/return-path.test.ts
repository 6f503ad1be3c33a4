import { expect, test } from 'vitest'
import { ownPath, returnPath } from './return-path.ts'

const origin = 'https://kherad.example.ir'

test.each([
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/..//evil.example',
  'https://evil.example/',
  'https:evil.example',
  'javascript:alert(1)',
  'evil',
  '',
  '/sign-in?return_to=/sign-in',
])('after a sign-in nobody is led to %o', (wanted) => expect(ownPath(wanted, origin)).toBe('/'))

test.each(['/', '/keys', '/requests?state=failed&at=1', '/talk/1#message-2', '/keys?next=//evil.example'])(
  'after a sign-in a person goes on to %o',
  (wanted) => expect(ownPath(wanted, origin)).toBe(wanted),
)

test('the token of a link goes along to the page of the link, and nowhere else', () => {
  const hash = `#khi_${'a'.repeat(43)}`
  expect(returnPath({ search: '?return_to=%2Flink', hash, origin })).toBe(`/link${hash}`)
  expect(returnPath({ search: '?return_to=%2Fkeys', hash, origin })).toBe('/keys')
  expect(returnPath({ search: '', hash, origin })).toBe('/')
})
