/** Filters: `eq.5`, `not.in.(1,2)`, `like(any).{a*,b*}`, `or=(a.eq.1,and(b.gt.2,c.is.null))`. */

import type { Budget } from './parse.ts'
import { readField } from './parse-name.ts'
import { Reader } from './reader.ts'
import { whys } from './refusals.ts'
import { refuse, unreadable } from './refuse.ts'
import type { Condition, FieldName, Operator, SearchFunction } from './request.ts'

const maxDepth = 10
const maxValues = 1_000

const operators: Readonly<Record<string, Operator>> = {
  eq: '=',
  neq: '<>',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
  like: 'like',
  ilike: 'ilike',
  match: '~',
  imatch: '~*',
  isdistinct: 'is distinct from',
  cs: '@>',
  cd: '<@',
  ov: '&&',
  sl: '<<',
  sr: '>>',
  nxl: '&>',
  nxr: '&<',
  adj: '-|-',
}
const quantifiable = new Set(['eq', 'like', 'ilike', 'gt', 'gte', 'lt', 'lte', 'match', 'imatch'])
const searches: Readonly<Record<string, SearchFunction>> = {
  fts: 'to_tsquery',
  plfts: 'plainto_tsquery',
  phfts: 'phraseto_tsquery',
  wfts: 'websearch_to_tsquery',
}
const truths = {
  null: 'null',
  not_null: 'not null',
  true: 'true',
  false: 'false',
  unknown: 'unknown',
} as const

/** The condition of one parameter: `title=ilike.*x*`. */
export function parseCondition(name: string, value: string, budget: Budget): Condition {
  const names = new Reader(name)
  const field = readField(names)
  if (!names.isOver) refuse(unreadable(name, whys.name))
  return operation(field, new Reader(value), budget, false)
}

/** The condition of a group: `or=(…)`, `and=(…)`, with `not.` before the name. */
export function parseGroup(name: string, value: string, budget: Budget): Condition {
  const reader = new Reader(value)
  const condition = group(name.endsWith('and') ? 'and' : 'or', reader, budget, 1)
  if (!reader.isOver) refuse(unreadable(value, whys.logic))
  return name.startsWith('not.') ? { kind: 'not', of: condition } : condition
}

function group(kind: 'and' | 'or', reader: Reader, budget: Budget, depth: number): Condition {
  if (depth > maxDepth) refuse(unreadable(reader.text, whys.deep))
  if (!reader.take('(')) refuse(unreadable(reader.text, whys.logic))
  const of: Condition[] = []
  do {
    budget.spend()
    reader.blanks()
    of.push(member(reader, budget, depth))
    reader.blanks()
  } while (reader.take(','))
  if (!reader.take(')')) refuse(unreadable(reader.text, whys.logic))
  return { kind, of }
}

function member(reader: Reader, budget: Budget, depth: number): Condition {
  const isNegated = reader.take('not.')
  const negate = (condition: Condition): Condition => (isNegated ? { kind: 'not', of: condition } : condition)
  for (const kind of ['and', 'or'] as const) {
    if (!reader.startsWith(`${kind}(`)) continue
    reader.take(kind)
    return negate(group(kind, reader, budget, depth + 1))
  }
  const field = readField(reader)
  if (!reader.take('.')) refuse(unreadable(reader.text, whys.logic))
  return negate(operation(field, reader, budget, true))
}

/** In a group the value ends at a comma or a parenthesis outside quotes; elsewhere it is all that is left. */
function operation(field: FieldName, reader: Reader, budget: Budget, isGrouped: boolean): Condition {
  if (reader.take('not.')) return { kind: 'not', of: operation(field, reader, budget, isGrouped) }
  const name = reader.word()
  const option = optionOf(reader)
  if (!reader.take('.')) refuse(unreadable(reader.text, whys.filter))
  if (name === 'in') return { kind: 'in', field, values: listOf(reader, budget, isGrouped) }
  const value = isGrouped ? groupedValue(reader) : reader.text.slice(reader.place)
  if (name === 'is') return is(field, value)
  if (Object.hasOwn(searches, name))
    return { kind: 'search', field, by: searches[name]!, config: option, value }
  if (!Object.hasOwn(operators, name)) refuse(unreadable(reader.text, whys.filter))
  const operator = operators[name]!
  const written =
    operator === 'like' || operator === 'ilike' ? (text: string) => text.replaceAll('*', '%') : same
  if (option === undefined) return { kind: 'compare', field, operator, value: written(value) }
  if ((option !== 'any' && option !== 'all') || !quantifiable.has(name))
    return refuse(unreadable(reader.text, whys.filter))
  const members = arrayMembers(value) ?? refuse(unreadable(value, whys.array))
  const values = members.map(written)
  budget.spend(values.length)
  return { kind: 'quantified', field, operator, which: option, values }
}

const same = (text: string): string => text

/** The option in parentheses: `english` of `fts(english)`, `any`. */
function optionOf(reader: Reader): string | undefined {
  if (!reader.take('(')) return undefined
  const end = reader.text.indexOf(')', reader.place)
  if (end === -1 || end - reader.place > 60) refuse(unreadable(reader.text, whys.filter))
  const option = reader.text.slice(reader.place, end)
  reader.place = end + 1
  return option
}

function is(field: FieldName, value: string): Condition {
  const word = value.toLowerCase()
  if (!Object.hasOwn(truths, word)) refuse(unreadable(value, whys.is))
  return { kind: 'is', field, what: truths[word as keyof typeof truths] }
}

/** A value within a group. Braces of arrays and parentheses of ranges within the value do not end it. */
function groupedValue(reader: Reader): string {
  if (reader.next === '"') {
    const begin = reader.place
    const value = reader.quoted()
    if (value !== undefined && (reader.isOver || reader.isAt(',', ')'))) return value
    reader.place = begin
  }
  const begin = reader.place
  let depth = 0
  for (; !reader.isOver; reader.place++) {
    const one = reader.next
    if (one === '{' || one === '(' || one === '[') depth++
    else if ((one === '}' || one === ')' || one === ']') && depth > 0) depth--
    else if (depth === 0 && (one === ',' || one === ')')) break
  }
  return reader.text.slice(begin, reader.place)
}

/** A list such as `(1,"a,b")`. The client does not escape quotes within a value, so a quote ends it only before a comma or the end. */
function listOf(reader: Reader, budget: Budget, isGrouped: boolean): string[] {
  if (!reader.take('(')) refuse(unreadable(reader.text, whys.list))
  const end = isGrouped ? undefined : reader.text.length - 1
  if (end !== undefined && reader.text[end] !== ')') refuse(unreadable(reader.text, whys.list))
  if (reader.take(')')) return []
  const values = listValues(reader, end)
  budget.spend(Math.ceil(values.length / 10))
  if (!reader.take(')')) refuse(unreadable(reader.text, whys.list))
  return values
}

/** `end`: the place where the list ends, where it is known; otherwise a parenthesis ends it. */
function listValues(reader: Reader, end: number | undefined): string[] {
  const values: string[] = []
  // Where nothing ends one quote, nothing ends those behind it: searching again at each would read the text as many times.
  let isEnded = true
  do {
    const value =
      reader.next === '"' && isEnded ? reader.quotedBefore(end === undefined ? ',)' : ',', end) : undefined
    if (value === undefined && reader.next === '"') isEnded = false
    values.push(value ?? plainValue(reader, end))
    if (values.length > maxValues) refuse(unreadable(reader.text, whys.values(maxValues)))
  } while (reader.take(','))
  return values
}

function plainValue(reader: Reader, end: number | undefined): string {
  const begin = reader.place
  const stops = end === undefined ? /[,)]/g : /,/g
  stops.lastIndex = begin
  reader.place = Math.min(stops.exec(reader.text)?.index ?? reader.text.length, end ?? reader.text.length)
  return reader.text.slice(begin, reader.place)
}

/** The members of `{a,"b,c"}`; undefined for a text that is no list of plain members. Throws RestRefused. */
export function arrayMembers(text: string): string[] | undefined {
  if (!text.startsWith('{') || !text.endsWith('}')) return undefined
  const reader = new Reader(text.slice(1, -1))
  const end = reader.text.length
  const members: string[] = []
  if (reader.text.trim() === '') return members
  do {
    reader.blanks()
    const isQuoted = reader.next === '"'
    const member = isQuoted ? reader.quotedBefore(',', end) : plainValue(reader, end).trim()
    if (member === undefined || (!isQuoted && /["{}]/.test(member))) return undefined
    members.push(member)
    if (members.length > maxValues) refuse(unreadable(text, whys.values(maxValues)))
    if (isQuoted) reader.blanks()
  } while (reader.take(','))
  return reader.isOver ? members : undefined
}
