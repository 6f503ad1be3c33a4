import { halfSpace, normalise } from './normalise.ts'
import { stemOf } from './stem.ts'

/** A word of a text with all terms under which it is indexed. */
export interface Word {
  /** The joined word, then its stem. */
  forms: string[]
  /** The parts of a compound at successive positions, each with its stem; for a simple word, the whole word again. */
  parts: string[][]
  isPersian: boolean
}

/** Verb prefixes, written joined, with a half-space, or separately. */
const prefixes = new Set(['می', 'نمی'])
/** Suffixes, which are also written joined, with a half-space, or separately. */
const suffixes = new Set(
  'ها های هایی هایم هایت هایش هایمان هایتان هایشان تر ترین تری ترها ترهای ترینها ترینهای'.split(' '),
)
/** Suffixes only after a half-space; written separately they are words. */
const enclitics = new Set('ی ای ام ات اش م ت ش مان تان شان اند ایم اید ست'.split(' '))
const maxTermLength = 64

/** Splits a text into words; every spelling of a text gives the same words. */
export function wordsOf(text: string): Word[] {
  const words: string[] = []
  let open = false
  let end = -1
  const normal = normalise(text)
  for (const match of normal.matchAll(/\d+(?:\.\d+)+|[\p{L}\p{N}\u200c]+/gu)) {
    const token = trimmed(match[0])
    if (token === '') continue
    const near = words.length > 0 && /^[ \u00a0]{1,2}$/.test(normal.slice(end, match.index).slice(0, 3))
    const joins = near && isPersian(token) && isPersian(words.at(-1)!) && (open || suffixes.has(token))
    if (joins) words.push(`${words.pop()}${halfSpace}${token}`)
    else words.push(token)
    open = prefixes.has(token)
    end = match.index + match[0].length
  }
  return words.map(wordOf)
}

const trimmed = (token: string): string =>
  token.replace(/^\u200c+|(?<!\u200c)\u200c+$/g, '').replace(/\u200c{2,}/g, halfSpace)

const isPersian = (token: string): boolean => /^[\p{Script=Arabic}\u200c]+$/u.test(token)

function wordOf(token: string): Word {
  const all = token.split(halfSpace)
  const forms = spellings(all.join(''))
  const meant = all.filter((part) => !isAffix(part))
  const parts = all.length === 1 || meant.length === 0 ? [forms] : meant.map(spellings)
  return { forms, parts, isPersian: isPersian(token) }
}

const isAffix = (part: string): boolean =>
  part.length < 2 || prefixes.has(part) || suffixes.has(part) || enclitics.has(part)

const spellings = (word: string): string[] => {
  const cut = word.slice(0, maxTermLength)
  return [...new Set([cut, stemOf(cut)])]
}
