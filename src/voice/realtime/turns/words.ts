import { latinDigits } from '#platform/words'

/** Of what is read at all: an end stands at the end. */
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
/** Short vowels, "ـ" and the hamza that stands alone: some write them, and nobody pronounces them otherwise. */
const unwritten = /[\u0640\u064b-\u0655\u0670ء]/g
/** Half-space, its kin, and the marks of direction. */
const joiners = /[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g
/** What stands between words. */
const between = /[\s.,!?;:؟،؛…"'“”«»()[\]{}*_/\\|<>~^=+&%$#@–—-]+/

/** What was said last: its words, folded to one spelling, and the mark behind it. */
export interface Said {
  words: string[]
  mark: 'question' | 'open' | undefined
}

/** In linear time; of a long text its end is read. */
export function readSaid(text: string): Said {
  const tail = text.slice(-maxCharacters).trimEnd()
  const folded = latinDigits(tail.toLowerCase())
    .replace(unwritten, '')
    .replace(joiners, '')
    .replace(/[يىئكةۀأإؤ]/g, (letter) => letters[letter]!)
  const words = joined(folded.split(between).filter(Boolean).slice(-maxWords))
  return { words, mark: markOf(tail) }
}

function markOf(text: string): Said['mark'] {
  const last = text.at(-1)
  if (last === '؟' || last === '?') return 'question'
  return last === '…' || last === '،' || last === ',' || last === '-' || last === '–' || text.endsWith('...')
    ? 'open'
    : undefined
}

const verbPrefixes = new Set(['می', 'نمی'])
const enclitics = new Set(['ام', 'ای', 'ایم', 'اید', 'اند', 'ست'])
const suffixes = new Set(['ها', 'های', 'هام', 'هاش', 'هاتون', 'تر', 'ترین', 'تون', 'مون', 'شون'])

/** Parts of a word that were written apart come together. */
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
