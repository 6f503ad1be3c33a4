import { expect, test } from 'vitest'
import { comparable } from '../words/comparable.ts'
import { found } from './palette-search.ts'

const command = (title: string, also?: string) => ({
  name: title,
  title,
  ...(also && { also }),
  run: () => {},
})
const commands = [
  command('گفت‌وگو', 'Talk'),
  command('کلیدها', 'Keys'),
  command('اعتبار و سقف‌ها', 'Credit and caps'),
]
const titles = (text: string): string[] => found(commands, text).map(({ title }) => title)

test('pages are found by their names in both languages, however they are typed', () => {
  expect(titles('')).toHaveLength(3)
  expect(titles('گفتوگو')).toEqual(['گفت‌وگو'])
  expect(titles('كليد')).toEqual(['کلیدها'])
  expect(titles('KEY')).toEqual(['کلیدها'])
  expect(titles('سقف اعتبار')).toEqual(['اعتبار و سقف‌ها'])
  expect(titles('zebra')).toEqual([])
})

test('a text is compared without half-spaces, marks, signs of direction, case and the script of its digits', () => {
  expect(comparable(' \u2068Ke\u200cYs\u2069 ۱۲\u200f كُ ')).toBe('keys 12 ک')
})
