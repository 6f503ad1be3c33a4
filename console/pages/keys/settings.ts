/** The settings of a key as people type them, and as the API takes them. */
import type { Body, Reply } from '../../api/client.ts'
import { readNumber } from '../../words/digits.ts'
import type { Locale } from '../../words/locale.ts'
import { addDays, dayInTehran, endOfDay, type IsoDay, readDay, writeDay } from '../../words/tehran-days.ts'

export type Key = Reply<'GET /v1/keys/{id}'>
export type KeyBody = Body<'POST /v1/keys'>

/** The members of a key that are a number or nothing. */
export const numbers = [
  'month_cap_credits',
  'cap_credits',
  'rate_per_minute',
  'concurrency',
  'keep_days',
  'responses_max_output_tokens',
] as const
export type NumberPart = (typeof numbers)[number]

export const parts = ['name', 'scopes', ...numbers, 'expires_at', 'models', 'origins'] as const
export type Part = (typeof parts)[number]

/** The limits that only who looks after the budgets may raise or lift. */
export const budgetParts: readonly Part[] = [
  'month_cap_credits',
  'cap_credits',
  'rate_per_minute',
  'concurrency',
]

/** Days after today, or the day that is typed. */
export type EndChoice = '30' | '90' | '365' | 'never' | 'day'

/** A key as it stands in a form: numbers and days as they were typed. */
export interface Draft extends Record<NumberPart, string> {
  name: string
  scopes: readonly string[]
  end: EndChoice
  endDay: string
  /** Empty: every model. */
  models: readonly string[]
  /** One origin a line. */
  origins: string
}

export const emptyDraft: Draft = {
  name: '',
  scopes: [],
  month_cap_credits: '',
  cap_credits: '',
  rate_per_minute: '',
  concurrency: '',
  keep_days: '',
  responses_max_output_tokens: '',
  end: '90',
  endDay: '',
  models: [],
  origins: '',
}

/** A key as it stands; one whose end has passed is offered a new one. */
export function draftOf(key: Key, locale: Locale, number: (value: number) => string): Draft {
  const typed = Object.fromEntries(
    numbers.map((part) => [part, key[part] === null ? '' : number(key[part])]),
  ) as Record<NumberPart, string>
  return {
    ...typed,
    name: key.name,
    scopes: key.scopes,
    end: key.expires_at === null ? 'never' : key.state === 'expired' ? emptyDraft.end : 'day',
    endDay:
      key.expires_at === null || key.state === 'expired'
        ? ''
        : writeDay(locale, dayInTehran(new Date(key.expires_at))),
    models: key.models ?? [],
    origins: (key.origins ?? []).join('\n'),
  }
}

/** The last day of the key; null: it never ends; undefined: what is typed is no day, or one that has passed. */
export function endOf({ end, endDay }: Pick<Draft, 'end' | 'endDay'>, now: Date): IsoDay | null | undefined {
  if (end === 'never') return null
  if (end !== 'day') return addDays(dayInTehran(now), Number(end))
  const day = readDay(endDay)
  return day !== undefined && day < dayInTehran(now) ? undefined : day
}

const linesOf = (text: string): string[] => text.split(/[\s,،]+/).filter((line) => line !== '')

/** The value of a part as the API takes it, null where it is lifted; undefined where what is typed cannot be read. */
export function partValue(draft: Draft, part: Part, now: Date): unknown {
  switch (part) {
    case 'name':
      return draft.name.trim() === '' ? undefined : draft.name.trim()
    case 'scopes':
      return draft.scopes.length === 0 ? undefined : draft.scopes
    case 'models':
      return draft.models.length === 0 ? null : draft.models
    case 'origins': {
      const lines = linesOf(draft.origins)
      return lines.length === 0 ? null : lines
    }
    case 'expires_at': {
      const day = endOf(draft, now)
      return typeof day === 'string' ? endOfDay(day) : day
    }
    default: {
      if (draft[part].trim() === '') return null
      const decimal = readNumber(draft[part])
      return decimal === undefined ? undefined : Number(decimal)
    }
  }
}

/** The parts whose value cannot be read; the form says so beside them and sends nothing. */
export const unreadable = (draft: Draft, now: Date, of: readonly Part[] = parts): Part[] =>
  of.filter((part) => partValue(draft, part, now) === undefined)

/** The body of a creation; what is not limited is left out. */
export function bodyOf(draft: Draft, now: Date): KeyBody {
  const values = parts.map((part) => [part, partValue(draft, part, now)] as const)
  return Object.fromEntries(values.filter(([, value]) => value !== null)) as unknown as KeyBody
}

/** Whether a limit becomes higher or is lifted. */
export function isRaised(before: number | null, after: unknown): boolean {
  return before !== null && (after === null || (typeof after === 'number' && after > before))
}
