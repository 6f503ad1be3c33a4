/** Descriptions of all kinds of work together for callers, made of the phrases of each kind. */
import { workKinds } from '#work/pipelines'

/** A list as `a, b, or c`. */
const listed = (parts: readonly string[], joint: string, last: string): string =>
  [parts.slice(0, -1).join(joint), ...parts.slice(-1)].join(last)

const makes = workKinds.map((kind) => kind.makes)
const deeper = workKinds.flatMap((kind) => kind.deeper ?? [])
const phrasesIn = (words: readonly { en: string; fa: string }[], language: 'en' | 'fa'): string[] =>
  words.map((word) => word[language])

export const kindPhrases = {
  makes: {
    en: `What is made: ${listed(phrasesIn(makes, 'en'), ', ', ', or ')}.`,
    fa: `آنچه ساخته می‌شود: ${listed(phrasesIn(makes, 'fa'), '، ', '، یا ')}.`,
  },
  budget: {
    en: `The most that the run may cost; ${phrasesIn(deeper, 'en').join('; ')}. The usual depth when absent.`,
    fa: `بیشترین هزینهٔ کار؛ ${phrasesIn(deeper, 'fa').join('؛ ')}. در نبودش عمق معمول.`,
  },
}
