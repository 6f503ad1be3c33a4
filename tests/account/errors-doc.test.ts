import { expect, test } from 'vitest'
import { declaredCodes } from '#platform/errors'
import { errorsPage, writtenErrorsPage } from '../../scripts/write-errors.ts'

test('docs/errors.md lists every failure as it is declared', () => {
  expect(writtenErrorsPage(), 'docs/errors.md is out of date: run npm run docs:errors').toBe(errorsPage())
})

test('every declared code has its own row, without a word missing from its sentences', () => {
  const page = errorsPage()
  for (const code of declaredCodes()) expect(page.split(`| \`${code}\` |`), code).toHaveLength(2)
  expect(page).not.toMatch(/undefined|NaN|\[object/)
})
