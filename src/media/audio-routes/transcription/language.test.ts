import { expect, test } from 'vitest'
import { languagePattern, nameOf } from './language.ts'

test('OpenAI says the name', () => {
  expect(['fa', 'en', 'ar'].map(nameOf)).toEqual(['persian', 'english', 'arabic'])
  expect(nameOf('xx')).toBe('xx')
})

test('a code has two or three letters and may have script and region', () => {
  const pattern = new RegExp(languagePattern)
  expect(['fa', 'fas', 'fa-IR', 'zh-Hant-TW', 'es_419'].every((one) => pattern.test(one))).toBe(true)
  expect(['', 'f', 'fars', 'fa-', 'fa-I', 'fa IR', 'fa\n', 'فا'].some((one) => pattern.test(one))).toBe(false)
})
