/** Filters: `eq.5`, `not.in.(1,2)`, `like(any).{a*,b*}`, `or=(a.eq.1,and(b.gt.2,c.is.null))`. */

import type { PartBudget } from './parse.ts'
import { readField } from './parse-name.ts'
import { TextReader } from './reader.ts'
import { syntaxReasons } from './refusals.ts'
import { parseRefusal, refuse } from './refuse.ts'
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
export function parseCondition(name: string, value: string, budget: PartBudget): Condition {
  const names = new TextReader(name)
  const field = readField(names)
  if (!names.isOver) refuse(parseRefusal(name, syntaxReasons.name))
  return operation(field, new TextReader(value), budget, false)
}

/** The condition of a group: `or=(…)`, `and=(…)`, with `not.` before the name. */
export function parseGroup(name: string, value: string, budget: PartBudget): Condition {
  const reader = new TextReader(value)
  const condition = group(name.endsWith('and') ? 'and' : 'or', reader, budget, 1)
  if (!reader.isOver) refuse(parseRefusal(value, syntaxReasons.logic))
  return name.startsWith('not.') ? { kind: 'not', of: condition } : condition
}

function group(kind: 'and' | 'or', reader: TextReader, budget: PartBudget, depth: number): Condition {
  if (depth > maxDepth) refuse(parseRefusal(reader.text, syntaxReasons.deep))
  if (!reader.take('(')) refuse(parseRefusal(reader.text, syntaxReasons.logic))
  const of: Condition[] = []
  do {
    budget.spend()
    reader.skipBlanks()
    of.push(member(reader, budget, depth))
    reader.skipBlanks()
  } while (reader.take(','))
  if (!reader.take(')')) refuse(parseRefusal(reader.text, syntaxReasons.logic))
  return { kind, of }
}

function member(reader: TextReader, budget: PartBudget, depth: number): Condition {
  const isNegated = reader.take('not.')
  const negate = (condition: Condition): Condition => (isNegated ? { kind: 'not', of: condition } : condition)
  for (const kind of ['and', 'or'] as const) {
    if (!reader.startsWith(`${kind}(`)) continue
    reader.take(kind)
    return negate(group(kind, reader, budget, depth + 1))
  }
  const field = readField(reader)
  if (!reader.take('.')) refuse(parseRefusal(reader.text, syntaxReasons.logic))
  return negate(operation(field, reader, budget, true))
}

/** In a group the value ends at a comma or a parenthesis outside quotes; elsewhere it is all that is left. */
function operation(field: FieldName, reader: TextReader, budget: PartBudget, isGrouped: boolean): Condition {
  if (reader.take('not.')) return { kind: 'not', of: operation(field, reader, budget, isGrouped) }
  const name = reader.readWord()
  const option = optionOf(reader)
  if (!reader.take('.')) refuse(parseRefusal(reader.text, syntaxReasons.filter))
  if (name === 'in') return { kind: 'in', field, values: listOf(reader, budget, isGrouped) }
  const value = isGrouped ? groupedValue(reader) : reader.text.slice(reader.offset)
  if (name === 'is') return is(field, value)
  if (Object.hasOwn(searches, name))
    return { kind: 'search', field, by: searches[name]!, config: option, value }
  if (!Object.hasOwn(operators, name)) refuse(parseRefusal(reader.text, syntaxReasons.filter))
  const operator = operators[name]!
  const toPattern =
    operator === 'like' || operator === 'ilike' ? (text: string) => text.replaceAll('*', '%') : same
  if (option === undefined) return { kind: 'compare', field, operator, value: toPattern(value) }
  if ((option !== 'any' && option !== 'all') || !quantifiable.has(name))
    return refuse(parseRefusal(reader.text, syntaxReasons.filter))
  const members = arrayMembers(value) ?? refuse(parseRefusal(value, syntaxReasons.array))
  const values = members.map(toPattern)
  budget.spend(values.length)
  return { kind: 'quantified', field, operator, which: option, values }
}

const same = (text: string): string => text

/** The option in parentheses: `english` of `fts(english)`, `any`. */
function optionOf(reader: TextReader): string | undefined {
  if (!reader.take('(')) return undefined
  const end = reader.text.indexOf(')', reader.offset)
  if (end === -1 || end - reader.offset > 60) refuse(parseRefusal(reader.text, syntaxReasons.filter))
  const option = reader.text.slice(reader.offset, end)
  reader.offset = end + 1
  return option
}

function is(field: FieldName, value: string): Condition {
  const word = value.toLowerCase()
  if (!Object.hasOwn(truths, word)) refuse(parseRefusal(value, syntaxReasons.is))
  return { kind: 'is', field, what: truths[word as keyof typeof truths] }
}

/** A value within a group. Braces of arrays and parentheses of ranges within the value do not end it. */
function groupedValue(reader: TextReader): string {
  if (reader.next === '"') {
    const begin = reader.offset
    const value = reader.readQuoted()
    if (value !== undefined && (reader.isOver || reader.isAt(',', ')'))) return value
    reader.offset = begin
  }
  const begin = reader.offset
  let depth = 0
  for (; !reader.isOver; reader.offset++) {
    const one = reader.next
    if (one === '{' || one === '(' || one === '[') depth++
    else if ((one === '}' || one === ')' || one === ']') && depth > 0) depth--
    else if (depth === 0 && (one === ',' || one === ')')) break
  }
  return reader.text.slice(begin, reader.offset)
}

/** A list such as `(1,"a,b")`. The client does not escape quotes within a value, so a quote ends it only before a comma or the end. */
function listOf(reader: TextReader, budget: PartBudget, isGrouped: boolean): string[] {
  if (!reader.take('(')) refuse(parseRefusal(reader.text, syntaxReasons.list))
  const end = isGrouped ? undefined : reader.text.length - 1
  if (end !== undefined && reader.text[end] !== ')') refuse(parseRefusal(reader.text, syntaxReasons.list))
  if (reader.take(')')) return []
  const values = listValues(reader, end)
  budget.spend(Math.ceil(values.length / 10))
  if (!reader.take(')')) refuse(parseRefusal(reader.text, syntaxReasons.list))
  return values
}

/** `end`: the place where the list ends, where it is known; otherwise a parenthesis ends it. */
function listValues(reader: TextReader, end: number | undefined): string[] {
  const values: string[] = []
  // Where nothing ends one quote, nothing ends those behind it: searching again at each would read the text as many times.
  let isEnded = true
  do {
    const value =
      reader.next === '"' && isEnded
        ? reader.readQuotedBefore(end === undefined ? ',)' : ',', end)
        : undefined
    if (value === undefined && reader.next === '"') isEnded = false
    values.push(value ?? plainValue(reader, end))
    if (values.length > maxValues) refuse(parseRefusal(reader.text, syntaxReasons.values(maxValues)))
  } while (reader.take(','))
  return values
}

function plainValue(reader: TextReader, end: number | undefined): string {
  const begin = reader.offset
  const stops = end === undefined ? /[,)]/g : /,/g
  stops.lastIndex = begin
  reader.offset = Math.min(stops.exec(reader.text)?.index ?? reader.text.length, end ?? reader.text.length)
  return reader.text.slice(begin, reader.offset)
}

/** The members of `{a,"b,c"}`; undefined for a text that is no list of plain members. Throws RestRefused. */
export function arrayMembers(text: string): string[] | undefined {
  if (!text.startsWith('{') || !text.endsWith('}')) return undefined
  const reader = new TextReader(text.slice(1, -1))
  const end = reader.text.length
  const members: string[] = []
  if (reader.text.trim() === '') return members
  do {
    reader.skipBlanks()
    const isQuoted = reader.next === '"'
    const member = isQuoted ? reader.readQuotedBefore(',', end) : plainValue(reader, end).trim()
    if (member === undefined || (!isQuoted && /["{}]/.test(member))) return undefined
    members.push(member)
    if (members.length > maxValues) refuse(parseRefusal(text, syntaxReasons.values(maxValues)))
    if (isQuoted) reader.skipBlanks()
  } while (reader.take(','))
  return reader.isOver ? members : undefined
}
