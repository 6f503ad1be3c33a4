/** Endings that can be taken off without knowing the language's dictionary. What is found by its stem is found by itself too. */

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
/** Shorter stems are more often part of the word (تنها، رها، بها). */
const shortestStem = 3
const whole = new Set(['انتها', 'منتها', 'دکترین', 'اژدها'])

/** The stem of a normalised word; the word itself where nothing can be taken off. */
export const stemOf = (word: string): string =>
  /^[a-z]+$/.test(word) ? englishStem(word) : whole.has(word) ? word : persianStem(word)

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
