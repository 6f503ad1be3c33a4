import { latinDigits } from '#platform/words'

/** The bounds of the text that is read: only its last part matters for its end. */
const maxCharacters = 1_000
const maxWords = 120

const letters: Record<string, string> = {
  ي: 'ی',
  ى: 'ی',
  ئ: 'ی',
  ك: 'ک',
  ة: 'ه',
  ۀ: 'ه',
  أ: 'ا',
  إ: 'ا',
  ؤ: 'و',
}
/** Short vowels, "ـ" and the standalone hamza: some people write them, and they do not change the pronunciation. */
const unwritten = /[\u0640\u064b-\u0655\u0670ء]/g
/** The half-space, similar characters, and the marks of direction. */
const joiners = /[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g
/** The characters between words. */
const between = /[\s.,!?;:؟،؛…"'“”«»()[\]{}*_/\\|<>~^=+&%$#@–—-]+/

/** The last words of a text, folded to one spelling, and the mark after them. */
export interface LastWords {
  words: string[]
  mark: 'question' | 'open' | undefined
}

/** Reads the end of a text, in linear time. */
export function readLastWords(text: string): LastWords {
  const tail = text.slice(-maxCharacters).trimEnd()
  const folded = latinDigits(tail.toLowerCase())
    .replace(unwritten, '')
    .replace(joiners, '')
    .replace(/[يىئكةۀأإؤ]/g, (letter) => letters[letter]!)
  const words = joined(folded.split(between).filter(Boolean).slice(-maxWords))
  return { words, mark: markOf(tail) }
}

function markOf(text: string): LastWords['mark'] {
  const last = text.at(-1)
  if (last === '؟' || last === '?') return 'question'
  return last === '…' || last === '،' || last === ',' || last === '-' || last === '–' || text.endsWith('...')
    ? 'open'
    : undefined
}

const verbPrefixes = new Set(['می', 'نمی'])
const enclitics = new Set(['ام', 'ای', 'ایم', 'اید', 'اند', 'ست'])
const suffixes = new Set(['ها', 'های', 'هام', 'هاش', 'هاتون', 'تر', 'ترین', 'تون', 'مون', 'شون'])

/** Joins the parts of words that were written apart. */
function joined(parts: readonly string[]): string[] {
  const words: string[] = []
  for (const part of parts) {
    const before = words.at(-1)
    if (before === undefined) words.push(part)
    else if (verbPrefixes.has(before)) words[words.length - 1] = before + part
    else if (suffixes.has(part) || (enclitics.has(part) && before.endsWith('ه') && before.length > 3))
      words[words.length - 1] = before + part
    else words.push(part)
  }
  return words
}
