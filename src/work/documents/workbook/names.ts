import type { Language } from '../model.ts'
import { inDigits } from '../phrases.ts'
import { printable } from '../prepare.ts'

const maxCharacters = 31

/** Names that spreadsheets accept: short, without reserved characters, and unique regardless of case. */
export function sheetNames(names: readonly string[], language: Language): string[] {
  const taken = new Set<string>(['history'])
  return names.map((name, index) => {
    const numbered = (language === 'fa' ? 'برگهٔ ' : 'Sheet ') + inDigits(language, index + 1)
    const wanted = accepted(name) || numbered
    let found = wanted
    for (let copy = 2; taken.has(found.toLowerCase()); copy += 1) {
      const ending = ` (${inDigits(language, copy)})`
      found = head(wanted, maxCharacters - ending.length) + ending
    }
    taken.add(found.toLowerCase())
    return found
  })
}

const accepted = (name: string): string =>
  head(
    printable(name)
      .replace(/[\][:*?/\\\s]+/g, ' ')
      .trim()
      .replace(/^'+/, ''),
    maxCharacters,
  ).replace(/(?<!['\s])['\s]+$/, '')

const head = (text: string, units: number): string =>
  text.length <= units ? text : text.slice(0, units).replace(/[\ud800-\udbff]$/, '')
