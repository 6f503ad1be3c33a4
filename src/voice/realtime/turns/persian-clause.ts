import { type VerbForm, verbForms } from './persian-verbs.ts'
import * as persian from './persian-words.ts'

/** A verb in a sentence; "is" in its colloquial forms ("خوبه") has no `form`. */
export interface Verb {
  at: number
  form: VerbForm | undefined
}

export interface Clause {
  /** How many more clauses are needed: "کتابی که خریدم" has one verb and needs two clauses. */
  missingClauses: number
  /** The last verb, and the one before it. */
  last: Verb | undefined
  before: Verb | undefined
  /** Whether an order, or a verb for the speaker's wish, has come. */
  hasRequest: boolean
  /** The index at which the clause of the last verb begins. */
  from: number
}

/** Counts the clauses of a sentence. Persian is verb-final: a sentence is whole once each of its clauses has its verb. Reads each word once. */
export function readClauses(words: readonly string[]): Clause {
  const clause: Clause = {
    missingClauses: 1,
    last: undefined,
    before: undefined,
    hasRequest: false,
    from: 0,
  }
  let hasMain = false
  for (const [at, word] of words.entries()) {
    if (isSubordinating(words, at)) clause.missingClauses = Math.max(clause.missingClauses, hasMain ? 1 : 2)
    else if (word === 'که') clause.missingClauses += isPlainThat(words, at) ? 0 : 1
    else if (clause.missingClauses === 0 && persian.coordinating.has(word)) {
      hasMain = false
      clause.missingClauses = 1
      clause.from = at + 1
    } else {
      const verb = verbAt(words, at)
      if (!verb) continue
      if (!belongsTo(clause.last, verb, words)) {
        clause.missingClauses = Math.max(0, clause.missingClauses - 1)
        if (clause.missingClauses === 0) hasMain = true
      }
      if (clause.last && !isAuxiliary(clause.last, verb))
        clause.from = Math.max(clause.from, clause.last.at + 1)
      clause.hasRequest ||= clause.last?.form?.mood === 'order' || clause.last?.form?.verb === 'خواست'
      clause.before = clause.last
      clause.last = verb
    }
  }
  return clause
}

/** Whether the word subordinates a clause: "اگر", "هر وقت", "با این که". */
function isSubordinating(words: readonly string[], at: number): boolean {
  const [word, next] = [words[at]!, words[at + 1] ?? '']
  if (persian.subordinating.has(word)) return true
  return (
    (word === 'هر' && persian.behindEach.has(next)) || ((word === 'این' || word === 'آن') && next === 'که')
  )
}

/** Whether "که" needs no further clause: "وقتی که" is one conjunction, and "من که" only stresses. */
const isPlainThat = (words: readonly string[], at: number): boolean =>
  at === 0 ||
  persian.timeSpans.has(words[at - 1]!) ||
  persian.pronouns.has(words[at - 1]!) ||
  isSubordinating(words, at - 1) ||
  (at > 1 && isSubordinating(words, at - 2))

function belongsTo(last: Verb | undefined, verb: Verb, words: readonly string[]): boolean {
  if (!last) return false
  if (isAuxiliary(last, verb)) return true
  const isJoined = words
    .slice(last.at + 1, verb.at)
    .every((word) => word !== 'که' && !persian.coordinating.has(word))
  if (!isJoined || !last.form) return false
  // Example: "دارم می‌روم".
  if (last.form.verb === 'داشت' && verb.form?.mood === 'finite') return words[verb.at]!.startsWith('می')
  // Example: "می‌خواهم بروم".
  return verb.form?.mood === 'wish' && (persian.clauseVerbs.has(last.form.verb) || isPossible(last.form))
}

/** Whether the verb is "می‌شود", which takes another verb after it. */
const isPossible = ({ verb, isPresent }: VerbForm): boolean => verb === 'شد' && isPresent

/** Whether the verb is the auxiliary of the one before it: "رفته بود", "گفته شد". */
const isAuxiliary = (last: Verb, verb: Verb): boolean =>
  last.at === verb.at - 1 &&
  last.form?.mood === 'participle' &&
  (verb.form === undefined || verb.form.verb === 'بود' || verb.form.verb === 'شد')

/** The verb at this place; undefined where the word is none. `words` gives the words around it. */
export function verbAt(words: readonly string[], at: number): Verb | undefined {
  const word = words[at]!
  if (persian.politeness.has(word)) return undefined
  const form =
    verbForms.get(word) ?? withObject(word) ?? (words[at + 1] === 'که' ? pluralVerbForm(word) : undefined)
  if (form) return { at, form }
  return persian.copulas.has(word) || isPossessed(word) || isCopulaAt(word)
    ? { at, form: undefined }
    : undefined
}

/** The verb in "گفتن که" ("they said that"); elsewhere this form is the infinitive. */
const pluralVerbForm = (word: string): VerbForm | undefined =>
  word.endsWith('ن') ? verbForms.get(word.slice(0, -1)) : undefined

/** The verb in "گفتمش", where the object is a letter after the verb. */
function withObject(word: string): VerbForm | undefined {
  for (const object of ['ش', 'شون', 'تون', 'مون'])
    if (word.endsWith(object) && word.length > object.length + 2) {
      const form = verbForms.get(word.slice(0, -object.length))
      if (form) return form
    }
  return undefined
}

const possessors = ['مه', 'ته', 'شه', 'مونه', 'تونه', 'شونه']
/** Whether the word ends in a possessive and "is": "دخترمه", "اسمشه". */
const isPossessed = (word: string): boolean =>
  word.length >= 5 && possessors.some((ending) => word.endsWith(ending)) && !persian.notPossessed.has(word)

const noCopula = new Set([
  'درخواست',
  'خواست',
  'بازخواست',
  'راست',
  'ماست',
  'باست',
  'سیاست',
  'ریاست',
  'حراست',
  'کیاست',
  'فراست',
])
/** Whether the word ends in "is": "رضاست", "یکتاست". */
const isCopulaAt = (word: string): boolean => word.length >= 5 && word.endsWith('است') && !noCopula.has(word)

const noObject = new Set(
  'لیمو عمو پرتو مانتو پتو زانو بانو کانو منو بشو نشو جلو سرو کیمونو پیانو شامپو ماتو برتو گفتگو تنو نو تو شو مو خودرو'.split(
    ' ',
  ),
)
/** Whether the word has the spoken mark of the object: "گوشیمو", "اینو". */
export const isObject = (word: string): boolean =>
  word === 'رو' ||
  word === 'را' ||
  word === 'منو' ||
  (word.length >= 4 && /[متشنی]و$|هارو$|هاو$/.test(word) && !noObject.has(word) && !verbForms.has(word))
