/** What a key may do, in words. */
import { formatNumber } from '../../words/digits.ts'
import type { Locale } from '../../words/locale.ts'
import { type PresetName, presets, type ScopeName, scopeNames } from './scope-groups.ts'

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((scope) => other.includes(scope))

/** The ready choice that has exactly these scopes. */
export const presetOf = (scopes: readonly string[]): PresetName | undefined =>
  (Object.keys(presets) as PresetName[]).find((name) => isSame(presets[name], scopes))

/** Scopes that the role may give, of those named. */
export const allowedOf = (scopes: readonly string[], rights: readonly string[]): string[] =>
  scopes.filter((scope) => rights.includes(scope))

interface WordsOfScopes {
  presets: Record<PresetName, string>
  nothing: string
  scopes: Record<ScopeName, { short: string }>
  andMore(names: string, count: string): string
}

const separators: Record<Locale, string> = { fa: '\u060c ', en: ', ' }

/** The nouns of scopes one after the other, in the order of the groups; the first begins as a sentence does. */
export function nounsOf(
  locale: Locale,
  words: Pick<WordsOfScopes, 'scopes'>,
  scopes: readonly string[],
): string {
  const nouns = inOrder(scopes).map((scope) => words.scopes[scope as ScopeName]?.short ?? scope)
  const text = nouns.join(separators[locale])
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const inOrder = (scopes: readonly string[]): string[] => [
  ...scopeNames.filter((scope) => scopes.includes(scope)),
  ...scopes.filter((scope) => !(scopeNames as readonly string[]).includes(scope)),
]

/** How many scopes are named before the rest is counted. */
const named = 3

/** What a key may do as a few words: a ready choice by its name, else the first scopes and how many more. */
export function scopesInWords(locale: Locale, words: WordsOfScopes, scopes: readonly string[]): string {
  const preset = presetOf(scopes)
  if (preset) return words.presets[preset]
  if (scopes.length === 0) return words.nothing
  // «and one more» would be longer than the one.
  if (scopes.length <= named + 1) return nounsOf(locale, words, scopes)
  const first = nounsOf(locale, words, inOrder(scopes).slice(0, named))
  return words.andMore(first, formatNumber(locale, scopes.length - named))
}
