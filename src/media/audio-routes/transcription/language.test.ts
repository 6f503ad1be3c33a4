import { expect, test } from 'vitest'
import { namedLanguage } from '#media/transcription'
import { languagePattern, nameOf } from './language.ts'

test('OpenAI says the name', () => {
  expect(['fa', 'en', 'ar'].map(nameOf)).toEqual(['persian', 'english', 'arabic'])
  expect(nameOf('xx')).toBe('xx')
})

test('a code has two or three letters and may have script and region', () => {
  const pattern = new RegExp(languagePattern)
  expect(['fa', 'fas', 'fa-IR', 'zh-Hant-TW', 'es_419'].every((one) => pattern.test(one))).toBe(true)
  expect(['f', 'fars', 'fa-', 'fa-I', 'fa IR', 'fa\n', 'فا', 'autos'].some((one) => pattern.test(one))).toBe(
    false,
  )
})

test('nothing and auto are taken, and name no language', () => {
  const pattern = new RegExp(languagePattern)
  expect(['', 'auto', 'AUTO'].map((one) => [pattern.test(one), namedLanguage(one)])).toEqual(
    Array(3).fill([true, undefined]),
  )
  expect([namedLanguage('fa'), namedLanguage(null)]).toEqual(['fa', undefined])
})
