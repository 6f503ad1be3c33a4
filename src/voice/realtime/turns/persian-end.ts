/** Whether a Persian sentence is over: a verb at its end, an open clause, a word that wants more after it, such as «و». */
import { type Clause, isObject, readClauses, type Verb, verbAt } from './persian-clause.ts'
import * as persian from './persian-words.ts'
import type { LastWords } from './words.ts'
import type { TurnEnd } from './words-of-end.ts'

/** Judges by the last words of Persian speech whether it is over; there must be at least one word. */
export function endOfPersian({ words: all, mark }: LastWords, wasAsked: boolean): TurnEnd {
  const words = withoutTrailing(all)
  const last = words.at(-1)!
  if (isNumber(last)) return wasAsked && numbersIn(words) <= 2 ? 'brief' : 'neutral'
  if (mark === 'open' || isOpening(words)) return 'open'
  if (mark === 'question') return 'sure'
  if (words.length > 2 && persian.tags.has(last) && isWhole(words.slice(0, -1))) return 'sure'
  const clause = readClauses(words)
  if (clause.last?.at === words.length - 1) return endOfVerb(words, clause, clause.last, wasAsked)
  return endOfOther(words, wasAsked)
}

function isWhole(words: readonly string[]): boolean {
  const { missingClauses, last } = readClauses(words)
  return missingClauses === 0 && last?.at === words.length - 1
}

/** The words without those after the verb that nothing depends on: "برو دیگه", "گفتم بهش", "می‌رم مدرسه", "بده به من". */
function withoutTrailing(words: readonly string[]): readonly string[] {
  let length = words.length
  while (length > 1 && persian.trailing.has(words[length - 1]!)) length--
  if (length < words.length && verbAt(words, length - 1)) return words.slice(0, length)
  if (isOpening(words) || persian.closing.has(words.at(-1)!) || verbAt(words, words.length - 1)) return words
  const behind = words.length - (words.at(-2) === 'به' ? 3 : 2)
  const verb = behind < 0 ? undefined : verbAt(words, behind)?.form
  return verb && persian.goalVerbs.has(verb.verb) ? words.slice(0, behind + 1) : words
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

function endOfOther(words: readonly string[], wasAsked: boolean): TurnEnd {
  const last = words.at(-1)!
  if (words.every((word) => persian.addressing.has(word))) return 'neutral'
  if (words.every((word) => persian.yesOrNo.has(word))) return words.length > 1 ? 'sure' : 'brief'
  if (persian.closing.has(last)) return 'sure'
  return wasAsked ? 'brief' : 'neutral'
}

/**
 * The end after a verb. A speaker whose whole sentence makes a request has finished; one whose sentence tells something has more to say, unless it is
 * an answer.
 */
function endOfVerb(words: readonly string[], clause: Clause, verb: Verb, wasAsked: boolean): TurnEnd {
  if (clause.missingClauses > 0) return 'open'
  const clauseWords = words.slice(clause.from, verb.at)
  const hasObject = clauseWords.some(isObject)
  const isAsked = words.some((word) => persian.asking.has(word))
  const missing = endOfUnfinished(words, clauseWords, verb, hasObject)
  if (missing) return missing
  if (isAsked || isRequest(words, clause, verb)) return 'sure'
  // Callers call because something is wrong: a negative sentence is usually their last.
  if (isNegative(words[verb.at]!, verb)) return 'sure'
  return wasAsked || clause.hasRequest ? 'brief' : 'neutral'
}

/** The end if something is missing after this verb; undefined if nothing is. */
function endOfUnfinished(
  words: readonly string[],
  clauseWords: readonly string[],
  verb: Verb,
  hasObject: boolean,
): TurnEnd | undefined {
  const content = clauseWords.filter((word) => !persian.addressing.has(word) && !persian.pronouns.has(word))
  const behind = words[verb.at - 1] ?? ''
  if (!verb.form) return persian.due.has(words[verb.at]!) && content.length === 0 ? 'open' : undefined
  if (persian.clauseVerbs.has(verb.form.verb)) return endOfClauseVerb(clauseWords, verb.form, hasObject)
  if (hasObject) return undefined
  if (persian.thinking.has(behind) || (persian.dueBefore.has(behind) && isDue(behind, verb))) return 'open'
  if (behind === 'دوست') return 'neutral'
  if (
    content.length > 0 ||
    !verb.form.isPresent ||
    (verb.form.mood !== 'finite' && verb.form.verb !== 'گذاشت')
  )
    return undefined
  if (verb.form.verb === 'گذاشت') return 'open'
  return verb.form.verb === 'شد' ? 'open' : verb.form.verb === 'داشت' ? 'neutral' : undefined
}

/** The end after "want", "can", "know", "say" and similar verbs, which a clause follows unless they have an object already. */
function endOfClauseVerb(
  clauseWords: readonly string[],
  { verb, isNegative }: NonNullable<Verb['form']>,
  hasObject: boolean,
): TurnEnd | undefined {
  const isWhat = clauseWords.some((word) => askedFor.has(word))
  if (verb === 'توانست') return isNegative ? 'neutral' : 'open'
  if (isWhat) return undefined
  if (verb === 'خواست') return hasObject || clauseWords.some(isQuantity) ? 'sure' : 'open'
  if (hasObject || (verb === 'گفت' && clauseWords.some(isQuantity))) return undefined
  return isNegative && !clauseWords.some((word) => persian.asking.has(word)) ? 'neutral' : 'open'
}

const isNegative = (word: string, { form }: Verb): boolean => form?.isNegative ?? word.startsWith('نیست')

/** Whether the verb addresses the listener, or says what the speaker wants: "بگید", "دارید", "می‌خوام برم", "می‌شه ببینم". */
function isRequest(words: readonly string[], { before, hasRequest }: Clause, { at, form }: Verb): boolean {
  if (!form) return false
  if (form.mood === 'order' || /ید$|ین$|[^ا]ی$/.test(words[at]!)) return true
  const asks = before?.form
  if (!asks) return false
  // Example: "می‌خواستم ببینم دکتر هست".
  if (asks.mood === 'wish' && hasRequest && persian.clauseVerbs.has(asks.verb)) return true
  return (
    form.mood === 'wish' &&
    (hasRequest || asks.verb === 'خواست' || asks.verb === 'توانست' || (asks.verb === 'شد' && asks.isPresent))
  )
}

const dueVerbs = new Set(['بود', 'داشت', 'آورد', 'انداخت'])
const isDue = (word: string, { form }: Verb): boolean =>
  form === undefined || dueVerbs.has(form.verb) || word === 'قرار'

/** Question words that are the object of the verb, as in "چی گفتی". */
const askedFor = new Set(['چی', 'چه', 'چیا', 'کدوم', 'کدام', 'چند', 'چندتا', 'چقدر'])

/** Whether the word counts something, as in "یه چای می‌خوام". */
const isQuantity = (word: string): boolean => word === 'یه' || word === 'یک' || isNumber(word)
