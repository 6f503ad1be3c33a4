import { expect, test } from 'vitest'
import { presets, scopeNames } from './scope-groups.ts'
import { allowedOf, scopesInWords } from './scopes.ts'
import { scopeWords } from './scopes.words.ts'

const fa = (scopes: string[]): string => scopesInWords('fa', scopeWords.fa, scopes)

test('every scope of a group has its words in both languages, and no other has', () => {
  for (const words of [scopeWords.fa, scopeWords.en])
    expect(Object.keys(words.scopes).toSorted()).toEqual(scopeNames.toSorted())
})

test('a ready choice is named, in whatever order its scopes stand', () => {
  expect(fa(presets.text.toReversed())).toBe('گفت‌وگو و متن')
  expect(fa([...presets.ai])).toBe('همهٔ هوش مصنوعی')
  expect(fa([...presets.read])).toBe('فقط خواندن')
})

test('other scopes are named in one order, and from the fifth on counted', () => {
  expect(fa(['usage:read', 'models:read'])).toBe('مدل‌ها، مصرف')
  expect(fa(['webhooks:write', 'usage:read', 'responses:write', 'models:read'])).toBe(
    'مدل‌ها، گفت‌وگو، مصرف، وب‌هوک‌ها',
  )
  expect(fa(scopeNames.toReversed())).toBe('مدل‌ها، گفت‌وگو، تصویر و ویدیو و ۱۵ دسترسی دیگر')
  expect(scopesInWords('en', scopeWords.en, scopeNames)).toBe('Models, chat, pictures and video and 15 more')
  expect(fa([])).toBe('هیچ')
  expect(fa(['later:write'])).toBe('Later:write')
})

test('reading only writes nothing, and no ready choice gives what the role has not', () => {
  expect(presets.read.filter((scope) => !scope.endsWith(':read'))).toEqual([])
  expect(allowedOf(presets.text, ['models:read', 'keys:write'])).toEqual(['models:read'])
})
