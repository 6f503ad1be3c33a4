/** Light stemming: suffixes that can be removed without a dictionary. A word is indexed under its stem and under itself. */

/** Marks of the plural with their pronouns, longest first, and of the superlative. */
const endings = [
  'هایشان',
  'هایمان',
  'هایتان',
  'ترینها',
  'هایش',
  'هایم',
  'هایت',
  'هایی',
  'ترین',
  'های',
  'ها',
] as const
/** The shortest stem: in shorter words the ending is more often part of the word (تنها، رها، بها). */
const shortestStem = 3
const unstemmed = new Set(['انتها', 'منتها', 'دکترین', 'اژدها'])

/** Returns the stem of a normalised word, or the word itself if it has no suffix. */
export const stemOf = (word: string): string =>
  /^[a-z]+$/.test(word) ? englishStem(word) : unstemmed.has(word) ? word : persianStem(word)

function persianStem(word: string): string {
  const ending = endings.find((end) => word.endsWith(end))
  return ending && word.length - ending.length >= shortestStem ? word.slice(0, -ending.length) : word
}

/** The S-stemmer: D. Harman, How effective is suffixing? (1991). */
function englishStem(word: string): string {
  if (word.length < 4) return word
  if (/(?<![ae])ies$/.test(word)) return `${word.slice(0, -3)}y`
  if (/(?<![aeo])es$/.test(word)) return word.slice(0, -1)
  return /(?<![us])s$/.test(word) ? word.slice(0, -1) : word
}
