import { expect, test } from 'vitest'
import { languageOf, languagePattern, languageSaid, nameOf } from './language.ts'

test.each([
  ['fa', 'fa'],
  ['fa-IR', 'fa'],
  ['FA_ir', 'fa'],
  ['fas', 'fa'],
  ['per', 'fa'],
  ['prs', 'fa'],
  ['en-US', 'en'],
  ['zh-Hant-TW', 'zh'],
  ['ckb', 'ckb'],
  ['toString', 'tostring'],
])('%s is %s', (code, short) => {
  expect(languageOf(code)).toBe(short)
})

test('whatever an upstream calls a language is its code', () => {
  expect(['persian', 'Farsi', 'fa', 'per', 'English', 'french', 'turkish'].map(languageSaid)).toEqual([
    'fa',
    'fa',
    'fa',
    'fa',
    'en',
    'fr',
    'tr',
  ])
  expect([undefined, '', 'no such language', '🙂'].map(languageSaid)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})

test('OpenAI says the name', () => {
  expect(['fa', 'en', 'ar'].map(nameOf)).toEqual(['persian', 'english', 'arabic'])
  expect(nameOf('xx')).toBe('xx')
})

test('a code has two or three letters and may have script and region', () => {
  const pattern = new RegExp(languagePattern)
  expect(['fa', 'fas', 'fa-IR', 'zh-Hant-TW', 'es_419'].every((one) => pattern.test(one))).toBe(true)
  expect(['', 'f', 'fars', 'fa-', 'fa-I', 'fa IR', 'fa\n', 'فا'].some((one) => pattern.test(one))).toBe(false)
})
