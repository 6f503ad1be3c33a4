/** Filters: `eq.5`, `not.in.(1,2)`, `or=(a.eq.1,and(b.gt.2,c.is.null))`. Read in one pass, with bounds on number, depth and length. */

import {
  type Condition,
  type Contained,
  type Field,
  queryLimits,
  type RangeKind,
  readingsOf,
  type SearchConfig,
  searchConfigs,
} from '#engine/collections'
import { refuse, unreadable } from '#engine/tables'
import type { Localized } from '#platform/errors'
import { afterQuoted, parseField, splitList, unquoted } from './parse-field.ts'
import { refusals, whys } from './refusals.ts'

const maxMembers = 100

/** Counts the conditions of a request. */
export class Budget {
  #used = 0
  spend(text: string, conditions = 1): void {
    this.#used += conditions
    if (this.#used > queryLimits.conditions) refuse(unreadable(text, whys.conditions))
  }
}

/** One parameter: `title=ilike.*x*`. */
export function parseFilter(name: string, value: string, budget: Budget): Condition {
  return operation(parseField(name), value, budget, value)
}

/** `or=(…)`, `and=(…)`, with `not.` before the name. */
export function parseLogic(name: string, value: string, budget: Budget): Condition {
  const isNegated = name.startsWith('not.')
  const kind = name.endsWith('and') ? 'and' : 'or'
  const condition = group(kind, value, budget, 1)
  return isNegated ? { kind: 'not', of: condition } : condition
}

function group(kind: 'and' | 'or', text: string, budget: Budget, depth: number): Condition {
  if (depth > queryLimits.depth) refuse(unreadable(text, whys.depth))
  if (!text.startsWith('(') || !text.endsWith(')')) refuse(unreadable(text, whys.logic))
  const parts = splitList(text.slice(1, -1), true) ?? refuse(unreadable(text, whys.logic))
  return { kind, of: parts.map((part) => item(part.trim(), budget, depth)) }
}

function item(text: string, budget: Budget, depth: number): Condition {
  const nested = /^(not\.)?(and|or)(\(.*)$/s.exec(text)
  if (nested) {
    const condition = group(nested[2] as 'and' | 'or', nested[3]!, budget, depth + 1)
    return nested[1] === undefined ? condition : { kind: 'not', of: condition }
  }
  const isNegated = text.startsWith('not.')
  const rest = isNegated ? text.slice('not.'.length) : text
  const dot = endOfField(rest)
  if (dot === -1) refuse(unreadable(text, whys.logic))
  const condition = operation(parseField(rest.slice(0, dot)), rest.slice(dot + 1), budget, text, true)
  return isNegated ? { kind: 'not', of: condition } : condition
}

/** The first dot outside quotes. */
function endOfField(text: string): number {
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') {
      const end = afterQuoted(text, at)
      if (end === -1) return -1
      at = end - 1
    } else if (text[at] === '.') return at
  }
  return -1
}

const operatorPattern = /^(not\.)?([a-z]{1,12})(?:\(([a-z_]{1,30})\))?\.(.*)$/s

/** Within a group values may stand in quotes. */
function operation(field: Field, text: string, budget: Budget, whole: string, isGrouped = false): Condition {
  const [, negated, name = '', option, raw = ''] =
    operatorPattern.exec(text) ?? refuse(unreadable(whole, whys.operator))
  const isQuoted = isGrouped && raw.startsWith('"') && afterQuoted(raw, 0) === raw.length
  const condition = leaf({ field, name, option, text: isQuoted ? unquoted(raw) : raw, whole, budget })
  return negated === undefined ? condition : { kind: 'not', of: condition }
}

/** What stands behind the name of a field. */
interface Operation {
  field: Field
  name: string
  option: string | undefined
  text: string
  whole: string
  budget: Budget
}

const comparisons = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const
const ranges = { sl: 'left', sr: 'right', nxl: 'notLeft', nxr: 'notRight', adj: 'adjacent' } as const
const searches = { fts: 'words', plfts: 'plain', phfts: 'phrase', wfts: 'web' } as const
const sets = { cs: 'contains', cd: 'contained', ov: 'overlaps' } as const

function leaf(operation: Operation): Condition {
  const { name, option, whole, budget } = operation
  if (operation.text.includes('\0')) refuse(unreadable(whole.replaceAll('\0', ''), whys.nul))
  if (name === 'match' || name === 'imatch') refuse(refusals.regex)
  if (option !== undefined && isIn(searches, name)) return search(operation, searches[name], option)
  if (option === 'any' || option === 'all') return quantified(operation, option)
  if (option !== undefined) refuse(unreadable(whole, whys.operator))
  budget.spend(whole)
  return plainLeaf(operation)
}

const isIn = <Table extends object>(table: Table, name: string): name is keyof Table & string =>
  Object.hasOwn(table, name)

function plainLeaf(operation: Operation): Condition {
  const { field, name, text, whole } = operation
  const bad = (why: Localized): never => refuse(unreadable(whole, why))
  if (name === 'eq') return { kind: 'equal', field, texts: [text] }
  if (name === 'neq') return { kind: 'not', of: { kind: 'equal', field, texts: [text] } }
  if (name === 'isdistinct') return { kind: 'distinct', field, text }
  if (isIn(comparisons, name)) return { kind: 'compare', field, operator: comparisons[name], text }
  if (name === 'like' || name === 'ilike') return like(operation)
  if (name === 'is') return isCondition(operation)
  if (name === 'in') return { kind: 'equal', field, texts: listOf(text, whole) }
  if (isIn(sets, name)) return { kind: sets[name], field, value: containedOf(text, whole) }
  if (isIn(ranges, name)) {
    const of = rangeKind(text) ?? bad(whys.range)
    return { kind: 'range', field, operator: ranges[name], text, of }
  }
  if (isIn(searches, name)) return search(operation, searches[name], undefined, true)
  return bad(whys.operator)
}

/** `*` stands for `%`, which has to be escaped in URLs. */
function like({ field, name, text, whole }: Operation): Condition {
  if (text.length > queryLimits.patternCharacters) refuse(unreadable(whole, whys.pattern))
  return { kind: 'like', field, pattern: text.replaceAll('*', '%'), anyCase: name === 'ilike' }
}

const truths = ['null', 'not_null', 'true', 'false', 'unknown'] as const

function isCondition({ field, text, whole }: Operation): Condition {
  const what = truths.find((one) => one === text.toLowerCase())
  return what ? { kind: 'is', field, what } : refuse(unreadable(whole, whys.is))
}

function search(
  { field, text, whole, budget }: Operation,
  parse: (typeof searches)[keyof typeof searches],
  option: string | undefined,
  isSpent = false,
): Condition {
  if (!isSpent) budget.spend(whole)
  if (text.length > queryLimits.patternCharacters) refuse(unreadable(whole, whys.pattern))
  const config = searchConfigs.find((one) => one === (option ?? 'simple'))
  if (!config) return refuse(unreadable(whole, whys.search))
  return { kind: 'search', field, parse, config: config satisfies SearchConfig, text }
}

const quantifiable = ['eq', 'like', 'ilike', 'gt', 'gte', 'lt', 'lte']

/** `like(any).{a*,b*}`: each of them is a condition. */
function quantified(operation: Operation, option: 'any' | 'all'): Condition {
  const { text, whole, budget } = operation
  const members = quantifiable.includes(operation.name) ? arrayMembers(text) : undefined
  if (!members) return refuse(unreadable(whole, whys.operator))
  budget.spend(whole, Math.max(1, members.length))
  const of = members.map((member) => plainLeaf({ ...operation, text: member }))
  return { kind: option === 'any' ? 'or' : 'and', of }
}

/** `(1,"a,b")`. The client does not escape quotes within a value: one ends it only before a comma or the end. */
function listOf(text: string, whole: string): string[] {
  if (!text.startsWith('(') || !text.endsWith(')')) refuse(unreadable(whole, whys.list))
  const inner = text.slice(1, -1)
  if (inner === '') return []
  const values: string[] = []
  // Where nothing ends one quote, nothing ends those behind it.
  let isEnded = true
  for (let at = 0; at <= inner.length; ) {
    const isQuote = inner[at] === '"' && isEnded
    const end = isQuote ? endOfQuoted(inner, at) : -1
    if (isQuote && end === -1) isEnded = false
    if (end !== -1) {
      values.push(unquoted(inner.slice(at, end)))
      at = end + 1
    } else {
      const comma = inner.indexOf(',', at)
      const stop = comma === -1 ? inner.length : comma
      values.push(inner.slice(at, stop))
      at = stop + 1
    }
    if (values.length > queryLimits.values) refuse(unreadable(whole, whys.values))
  }
  return values
}

function endOfQuoted(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"' && (at + 1 === text.length || text[at + 1] === ',')) return at + 1
  }
  return -1
}

/** `{a,"b,c"}`; undefined for what is no list of plain members. */
function arrayMembers(text: string): string[] | undefined {
  if (!text.startsWith('{') || !text.endsWith('}')) return undefined
  const inner = text.slice(1, -1)
  if (inner.trim() === '') return []
  const members: string[] = []
  for (const part of splitList(inner, false)) {
    const member = part.trim()
    const isQuoted = member.startsWith('"')
    if (isQuoted && afterQuoted(member, 0) !== member.length) return undefined
    if (!isQuoted && /["{}]/.test(member)) return undefined
    members.push(isQuoted ? unquoted(member) : member)
  }
  return members
}

function containedOf(text: string, whole: string): Contained {
  const isRange = /^[[(].*[\])]$/s.test(text) && (text.startsWith('(') || text.endsWith(')'))
  const of = isRange ? rangeKind(text) : undefined
  if (of) return { kind: 'range', text, of }
  if (/^\{\s*\}$/.test(text)) return { kind: 'json', json: ['{}', '[]'] }
  const json = /^[[{]/.test(text) ? readingsOf(text)[1] : undefined
  if (json !== undefined) return { kind: 'json', json: [json] }
  const members = arrayMembers(text)
  if (!members) return refuse(unreadable(whole, whys.contained))
  if (members.length > maxMembers) refuse(unreadable(whole, whys.values))
  return { kind: 'array', members: members.map((member) => readingsOf(member)) }
}

const numberPart = /^(?:-?\d{1,100}(?:\.\d{1,100})?)?$/

function rangeKind(text: string): RangeKind | undefined {
  if (text === 'empty') return 'numbers'
  if (text.length > 200) return undefined
  const parts = /^[[(]([^,]*),([^,]*)[\])]$/.exec(text)
  if (!parts) return undefined
  return parts.slice(1).every((part) => numberPart.test(part.trim())) ? 'numbers' : 'times'
}
