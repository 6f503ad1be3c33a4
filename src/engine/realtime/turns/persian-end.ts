import { type Clause, isObject, readClauses, type Verb, verbAt } from './persian-clause.ts'
import * as persian from './persian-words.ts'
import type { Said } from './words.ts'
import type { End } from './words-of-end.ts'

/** What the last words of Persian speech say of its end; there is one word at least. */
export function endOfPersian({ words: all, mark }: Said, wasAsked: boolean): End {
  const words = withoutTrailing(all)
  const last = words.at(-1)!
  if (isNumber(last)) return wasAsked && numbersIn(words) <= 2 ? 'brief' : 'neutral'
  if (mark === 'open' || isOpening(words)) return 'open'
  if (mark === 'question') return 'sure'
  const clause = readClauses(words)
  if (clause.last?.at === words.length - 1) return endOfVerb(words, clause, clause.last)
  return endOfOther(words, wasAsked)
}

/** "برو دیگه", "گفتم بهش": what stands behind a verb is no part of what is waited for. */
function withoutTrailing(words: readonly string[]): readonly string[] {
  let length = words.length
  while (length > 1 && persian.trailing.has(words[length - 1]!)) length--
  return length < words.length && verbAt(words, length - 1) ? words.slice(0, length) : words
}

const isNumber = (word: string): boolean => persian.numbers.has(word) || /^\d+$/.test(word)

function numbersIn(words: readonly string[]): number {
  let count = 0
  for (let at = words.length - 1; at >= 0 && (isNumber(words[at]!) || words[at] === 'و'); at--)
    if (words[at] !== 'و') count++
  return count
}

function isOpening(words: readonly string[]): boolean {
  const last = words.at(-1)!
  return (
    persian.opening.has(last) || persian.modal.has(last) || persian.subordinating.has(last) || isObject(last)
  )
}

function endOfOther(words: readonly string[], wasAsked: boolean): End {
  const last = words.at(-1)!
  if (words.every((word) => persian.addressing.has(word))) return 'neutral'
  if (words.every((word) => persian.yesOrNo.has(word))) return words.length > 1 ? 'sure' : 'brief'
  if (persian.closing.has(last)) return 'sure'
  return wasAsked ? 'brief' : 'neutral'
}

function endOfVerb(words: readonly string[], clause: Clause, verb: Verb): End {
  if (clause.owed > 0) return 'open'
  const own = words.slice(clause.from, verb.at)
  const behind = words[verb.at - 1] ?? ''
  const hasObject = own.some(isObject)
  if (persian.dueBefore.has(behind) && !hasObject && isDue(behind, verb)) return 'open'
  const asked = own.find((word) => persian.asking.has(word))
  if (!verb.form) return 'sure'
  if (persian.clauseVerbs.has(verb.form.verb)) return endOfClauseVerb(own, verb.form, hasObject, asked)
  if (asked) return 'sure'
  if (persian.thinking.has(behind) && !hasObject) return 'open'
  if (behind === 'دوست' && !hasObject) return 'neutral'
  const content = own.filter((word) => !persian.addressing.has(word) && !persian.pronouns.has(word))
  if (content.length > 0 || !verb.form.isPresent || verb.form.mood !== 'finite') return 'sure'
  return verb.form.verb === 'شد' ? 'open' : verb.form.verb === 'داشت' ? 'neutral' : 'sure'
}

const dueVerbs = new Set(['بود', 'داشت', 'آورد', 'انداخت'])
const isDue = (word: string, { form }: Verb): boolean =>
  form === undefined || dueVerbs.has(form.verb) || word === 'قرار'

/** Of "want", "can", "know", "say" and their kin, behind which a clause follows unless they have an object already. */
function endOfClauseVerb(
  own: readonly string[],
  form: NonNullable<Verb['form']>,
  hasObject: boolean,
  asked: string | undefined,
): End {
  if (hasObject || (asked !== undefined && askedFor.has(asked))) return 'sure'
  if ((form.verb === 'خواست' || form.verb === 'گفت') && own.some(isQuantity)) return 'sure'
  return form.isNegative && asked === undefined ? 'neutral' : 'open'
}

/** "چی گفتی": they are the object. */
const askedFor = new Set(['چی', 'چه', 'چیا', 'کدوم', 'کدام', 'چند', 'چندتا', 'چقدر'])

/** "یه چای می‌خوام". */
const isQuantity = (word: string): boolean => word === 'یه' || word === 'یک' || isNumber(word)
