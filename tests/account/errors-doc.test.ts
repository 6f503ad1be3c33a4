import { expect, test } from 'vitest'
import { declaredCodes } from '#platform/errors'
import { errorsFile, errorsPage, writtenErrorsPage } from '../../scripts/write-errors.ts'

const languages = ['en', 'fa'] as const

test.each(languages)('the page of errors in %s lists every failure as it is declared', (language) => {
  const file = errorsFile[language]
  expect(writtenErrorsPage(language), `${file} is out of date: run npm run docs:errors`).toBe(
    errorsPage(language),
  )
})

test.each(languages)('every declared code has its own row in %s, without a word missing', (language) => {
  const page = errorsPage(language)
  for (const code of declaredCodes()) expect(page.split(`| \`${code}\` |`), code).toHaveLength(2)
  expect(page).not.toMatch(/undefined|NaN|\[object/)
})

test('each page is in its own language', () => {
  const rows = (language: 'en' | 'fa') =>
    errorsPage(language)
      .split('\n')
      .filter((line) => line.startsWith('| '))
  for (const row of rows('en')) expect(row).not.toMatch(/[\u0600-\u06ff]/)
  for (const row of rows('fa')) expect(row).toMatch(/[\u0600-\u06ff]{3}/)
})
