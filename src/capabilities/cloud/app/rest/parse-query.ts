/** The query of a request: what is selected, which rows, in which order. */

import {
  type CastType,
  type Condition,
  type Field,
  type Order,
  queryLimits,
  type Selected,
  type Selection,
  wholeSelection,
} from '#engine/collections'
import { refuse, unreadable } from '#engine/tables'
import { afterQuoted, parseField, splitList, unquoted } from './parse-field.ts'
import { Budget, parseFilter, parseLogic } from './parse-filter.ts'
import { refusals, whys } from './refusals.ts'

export interface ParsedQuery {
  selection: Selection
  where: Condition[]
  order: Order[]
  limit: number
  offset: number
  /** Whether a limit was given. */
  isLimited: boolean
  /** Names of the fields that count of a body. */
  columns: string[] | undefined
  onConflict: string | undefined
}

const logicNames = ['or', 'and', 'not.or', 'not.and']

export function parseQuery(query: URLSearchParams, withoutNulls: boolean): ParsedQuery {
  const parsed: ParsedQuery = {
    selection: withoutNulls ? { ...wholeSelection, withoutNulls } : wholeSelection,
    where: [],
    order: [],
    limit: queryLimits.rows,
    offset: 0,
    isLimited: false,
    columns: undefined,
    onConflict: undefined,
  }
  const budget = new Budget()
  for (const [name, value] of query) take(parsed, name, value, budget)
  return parsed
}

function take(parsed: ParsedQuery, name: string, value: string, budget: Budget): void {
  if (name === 'select') parsed.selection = parseSelect(value, parsed.selection.withoutNulls)
  else if (name === 'order') parsed.order = parseOrder(value)
  else if (name === 'limit') {
    parsed.limit = Math.min(wholeNumber(value), queryLimits.rows)
    parsed.isLimited = true
  } else if (name === 'offset') parsed.offset = wholeNumber(value)
  else if (name === 'columns') parsed.columns = parseColumns(value)
  else if (name === 'on_conflict') parsed.onConflict = value
  else if (logicNames.includes(name)) parsed.where.push(parseLogic(name, value, budget))
  else if (name !== 'apikey') {
    const owner = /^([^."]+)\./.exec(name)
    if (owner) refuse(refusals.embed(owner[1]!))
    parsed.where.push(parseFilter(name, value, budget))
  }
}

/** An offset beyond what the database counts with is beyond all rows. */
function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) refuse(unreadable(text, whys.number))
  return Math.min(Number(text), 2_000_000_000)
}

function parseSelect(text: string, withoutNulls: boolean): Selection {
  if (text.includes('\0')) refuse(unreadable('select', whys.nul))
  const parts = text === '' ? [] : (splitList(text, true) ?? refuse(unreadable(text, whys.field)))
  if (parts.length > queryLimits.selected) refuse(unreadable(text, whys.many))
  const names = parts.map((part) => part.trim())
  if (names.length === 1 && names[0] === '*' && !withoutNulls) return wholeSelection
  const fields = names.filter((name) => name !== '*').map(selected)
  return { all: names.includes('*'), fields, withoutNulls }
}

const casts: Readonly<Record<string, CastType>> = {
  text: 'text',
  varchar: 'text',
  json: 'json',
  jsonb: 'json',
  numeric: 'numeric',
  decimal: 'numeric',
  float: 'float8',
  float8: 'float8',
  real: 'float8',
  int: 'int4',
  integer: 'int4',
  int4: 'int4',
  int8: 'int8',
  bigint: 'int8',
  bool: 'bool',
  boolean: 'bool',
  uuid: 'uuid',
  date: 'date',
  timestamptz: 'timestamptz',
}

/** `alias:field::cast`. */
function selected(text: string): Selected {
  const { alias, rest } = withoutAlias(text)
  const [name, castName, ...more] = splitCast(rest)
  if (more.length > 0) refuse(unreadable(text, whys.cast))
  refuseEmbed(name!)
  const field = parseField(name!)
  const cast = castName === undefined ? undefined : casts[castName.toLowerCase()]
  if (castName !== undefined && (cast === undefined || !Object.hasOwn(casts, castName.toLowerCase())))
    refuse(unreadable(text, whys.cast))
  return { as: alias ?? nameOf(field), field, cast }
}

/** The last name within; a place in an array has none. */
const nameOf = (field: Field): string =>
  'column' in field ? field.column : (field.path.findLast((name) => !/^-?\d+$/.test(name)) ?? field.path[0]!)

function refuseEmbed(name: string): void {
  if (!/[()]/.test(name.startsWith('"') ? name.slice(Math.max(0, afterQuoted(name, 0))) : name)) return
  if (/(?:^|\.)(?:count|sum|avg|max|min)\(\)$/.test(name)) refuse(refusals.aggregate)
  refuse(refusals.embed(name.replace(/^\.\.\./, '').replace(/[!(].*$/s, '')))
}

/** The first single colon outside quotes and parentheses ends an alias. */
function withoutAlias(text: string): { alias?: string; rest: string } {
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') {
      const end = afterQuoted(text, at)
      if (end === -1) break
      at = end - 1
    } else if (text[at] === '(' || text.startsWith('::', at)) break
    else if (text[at] === ':') {
      const raw = text.slice(0, at)
      const alias = raw.startsWith('"') ? unquoted(raw) : raw
      if (alias === '' || alias.length > 200) refuse(unreadable(text, whys.field))
      return { alias, rest: text.slice(at + 1) }
    }
  }
  return { rest: text }
}

function splitCast(text: string): string[] {
  const from = text.startsWith('"') ? Math.max(0, afterQuoted(text, 0)) : 0
  const at = text.indexOf('::', from)
  return at === -1 ? [text] : [text.slice(0, at), ...text.slice(at + 2).split('::')]
}

function parseOrder(text: string): Order[] {
  if (text.includes('\0')) refuse(unreadable('order', whys.nul))
  if (text === '') return []
  const parts = splitList(text, true) ?? refuse(unreadable(text, whys.order))
  if (parts.length > queryLimits.orders) refuse(unreadable(text, whys.many))
  return parts.map((part) => orderOf(part.trim()))
}

const orderPattern = /^(.+?)(?:\.(asc|desc))?(?:\.(nullsfirst|nullslast))?$/s

/** Nulls are larger than all else unless it is said otherwise. */
function orderOf(text: string): Order {
  const [, name = '', way, nulls] = orderPattern.exec(text) ?? refuse(unreadable(text, whys.order))
  refuseEmbed(name)
  if (!name.includes('"') && name.includes('.')) refuse(unreadable(text, whys.order))
  const descending = way === 'desc'
  const nullsFirst = nulls === undefined ? descending : nulls === 'nullsfirst'
  return { field: parseField(name), descending, nullsFirst }
}

function parseColumns(text: string): string[] {
  const names = splitList(text, false).map((part) => {
    const name = part.trim()
    return name.startsWith('"') && afterQuoted(name, 0) === name.length ? unquoted(name) : name
  })
  return [...new Set(names)]
}
