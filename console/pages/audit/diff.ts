/** What a change found and what it left, member by member. */

export type Value = null | boolean | number | string | readonly Value[] | { readonly [name: string]: Value }

export interface Difference {
  /** The technical name of the member. */
  name: string
  /** Undefined where the member was not there. */
  before: Value | undefined
  after: Value | undefined
}

type Values = Readonly<Record<string, unknown>> | null

/**
 * The members that a change made others, in the order in which they stand, those of `before` first. Where something was made or removed all of its
 * members are, save those that are null.
 */
export function differences(before: Values, after: Values): Difference[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  const isWhole = before === null || after === null
  return names
    .map((name) => ({
      name,
      before: before?.[name] as Value | undefined,
      after: after?.[name] as Value | undefined,
    }))
    .filter((one) =>
      isWhole
        ? (one.before ?? one.after ?? null) !== null
        : JSON.stringify(one.before) !== JSON.stringify(one.after),
    )
}

/** The members that are on both sides and became others: what a change is about in a word. */
export const changedNames = (before: Values, after: Values): string[] =>
  before === null || after === null
    ? []
    : differences(before, after)
        .filter((one) => one.before !== undefined && one.after !== undefined)
        .map(({ name }) => name)

export type Shown =
  /** The member is not there; `nothing`: it is there and empty. */
  | { kind: 'absent' }
  | { kind: 'nothing' }
  | { kind: 'yes' | 'no' }
  | { kind: 'number' | 'credits' | 'percent'; value: number }
  | { kind: 'moment'; at: string }
  /** A technical name: an id, an address, a code. */
  | { kind: 'id'; text: string }
  | { kind: 'text'; text: string }
  | { kind: 'list'; items: Shown[] }

const micro = 1_000_000

/** How a value is shown; micro-credits become credits, whatever they were written as. */
export function shownOf(name: string, value: Value | undefined): Shown {
  if (value === undefined) return { kind: 'absent' }
  if (value === null || value === '') return { kind: 'nothing' }
  if (typeof value === 'boolean') return { kind: value ? 'yes' : 'no' }
  if (name.endsWith('microcredits') && (typeof value === 'number' || typeof value === 'string'))
    return { kind: 'credits', value: Number(value) / micro }
  if (typeof value === 'number') return { kind: unitOf(name), value }
  if (typeof value === 'string') return shownText(name, value)
  if (Array.isArray(value))
    return value.length === 0
      ? { kind: 'nothing' }
      : { kind: 'list', items: value.map((item) => shownOf(name, item as Value)) }
  return { kind: 'id', text: JSON.stringify(value) }
}

const unitOf = (name: string): 'number' | 'credits' | 'percent' =>
  name.endsWith('credits') ? 'credits' : name.endsWith('percent') ? 'percent' : 'number'

const named = new Set(['name', 'display_name', 'reason'])

function shownText(name: string, text: string): Shown {
  if (/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/.test(text)) return { kind: 'moment', at: text }
  return { kind: named.has(name) || !/^[\x20-\x7e]+$/.test(text) ? 'text' : 'id', text }
}
