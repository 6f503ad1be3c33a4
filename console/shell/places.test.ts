import { expect, test } from 'vitest'
import { foundPlaces, linesOf } from './places.ts'

const place = (accountName: string, ...names: string[]) => ({
  accountId: accountName,
  accountName,
  projects: names.map((name) => ({ projectId: `${accountName}/${name}`, name })),
})
const places = [place('نسیم', 'فروشگاه', 'پشتیبانی'), place('Acme', 'shop'), place('بی‌پروژه')]
const seen = (text: string) =>
  foundPlaces(places, text).map(({ accountName, projects }) => [
    accountName,
    ...projects.map(({ name }) => name),
  ])

test('an account is found by its name, with all its projects or none, and a project by its own and that of its account', () => {
  expect(seen('نسيم')).toEqual([['نسیم', 'فروشگاه', 'پشتیبانی']])
  expect(seen('پشتي')).toEqual([['نسیم', 'پشتیبانی']])
  expect(seen('acme SHOP')).toEqual([['Acme', 'shop']])
  for (const typed of ['بی پروژه', 'بی‌پروژه']) expect(seen(typed)).toEqual([['بی‌پروژه']])
  expect(seen(' ')).toHaveLength(3)
  expect(seen('هیچ')).toEqual([])
  expect(linesOf(places)).toBe(6)
})
