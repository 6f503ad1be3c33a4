/** The query of a request, read in one pass from left to right. Errors in it are refused as PostgREST would; nothing is looked up. */
import { parseCondition, parseGroup } from './parse-condition.ts'
import { readField, readName } from './parse-name.ts'
import { Reader } from './reader.ts'
import { refusals, whys } from './refusals.ts'
import { refuse, unreadable } from './refuse.ts'
import {
  type Narrowing,
  type Order,
  type Selected,
  type SelectedTable,
  type TablesQuery,
  wayKey,
} from './request.ts'

/** The most parts of one request: fields, tables, conditions and orders together. */
const maxParts = 500
const maxDepth = 10

/** Counts the parts of a request. */
export class Budget {
  #left = maxParts
  spend(parts = 1): void {
    this.#left -= parts
    if (this.#left < 0) refuse(refusals.tooManyParts(maxParts))
  }
}

const groupNames = new Set(['or', 'and', 'not.or', 'not.and'])

/** Reads the parameters of a request. Throws RestRefused. */
export function parseQuery(parameters: Iterable<readonly [name: string, value: string]>): TablesQuery {
  const budget = new Budget()
  const narrowings = new Map<string, Narrowing>()
  const at = (way: readonly string[]): Narrowing => {
    const key = wayKey(way)
    const narrowing = narrowings.get(key) ?? { where: [], order: [], offset: 0 }
    narrowings.set(key, narrowing)
    return narrowing
  }
  let select: readonly Selected[] = [{ kind: 'all' }]
  const more: Pick<TablesQuery, 'columns' | 'onConflict'> = {}
  for (const [name, value] of parameters) {
    if (name.includes('\0') || value.includes('\0')) refuse(unreadable(name.replaceAll('\0', ''), whys.nul))
    if (name === 'select') select = parseSelect(value, budget)
    else if (name === 'columns') more.columns = parseNames(value)
    else if (name === 'on_conflict') more.onConflict = parseNames(value)
    else if (name !== 'apikey') narrow(at, name, value, budget)
  }
  return { select, narrowings, ...more }
}

/** Reads one parameter that narrows or orders rows: `age=gt.5`, `orders.items.or=(…)`, `order=name`, `orders.limit=3`. */
function narrow(
  at: (way: readonly string[]) => Narrowing,
  name: string,
  value: string,
  budget: Budget,
): void {
  budget.spend()
  const { way, rest } = wayOf(name)
  const narrowing = at(way)
  if (rest === 'order') narrowing.order = parseOrder(value, budget)
  else if (rest === 'limit') narrowing.limit = wholeNumber(value)
  else if (rest === 'offset') narrowing.offset = wholeNumber(value)
  else if (groupNames.has(rest)) narrowing.where.push(parseGroup(rest, value, budget))
  else narrowing.where.push(parseCondition(rest, value, budget))
}

/** Splits off the names before the last one, which are those of embedded tables; the last may be `not.or`. */
function wayOf(name: string): { way: string[]; rest: string } {
  const way: string[] = []
  const reader = new Reader(name)
  let begin = 0
  for (;;) {
    if (groupNames.has(name.slice(begin))) return { way, rest: name.slice(begin) }
    const part = readName(reader, whys.name)
    if (!reader.take('.')) return { way, rest: name.slice(begin) }
    way.push(part)
    if (way.length > maxDepth) refuse(unreadable(name, whys.deep))
    begin = reader.place
  }
}

/** A whole number. One that is beyond the range of the database is cut to a number that is beyond all rows. */
function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) refuse(unreadable(text, whys.number))
  return Math.min(Number(text), 2_000_000_000)
}

function parseNames(text: string): string[] {
  if (text.trim() === '') return []
  const reader = new Reader(text)
  const names: string[] = []
  do {
    reader.blanks()
    names.push(readName(reader, whys.name, ','))
    reader.blanks()
  } while (reader.take(','))
  if (!reader.isOver) refuse(unreadable(text, whys.name))
  return [...new Set(names)]
}

export function parseSelect(text: string, budget: Budget): readonly Selected[] {
  if (text.trim() === '') return [{ kind: 'all' }]
  const reader = new Reader(text)
  const select = selectedList(reader, budget, 1)
  if (!reader.isOver) refuse(unreadable(text, whys.select))
  return select
}

function selectedList(reader: Reader, budget: Budget, depth: number): Selected[] {
  if (depth > maxDepth) refuse(unreadable(reader.text, whys.deep))
  const list: Selected[] = []
  do {
    budget.spend()
    reader.blanks()
    list.push(selected(reader, budget, depth))
    reader.blanks()
  } while (reader.take(','))
  return list
}

const aggregate = /^\.(?:count|sum|avg|max|min)\(/

/** Reads one member of `select`: `*`, `alias:column->path::type`, `...alias:table!hint!inner(…)`. */
function selected(reader: Reader, budget: Budget, depth: number): Selected {
  if (reader.take('*')) return { kind: 'all' }
  const isSpread = reader.take('...')
  const begin = reader.place
  const first = readName(reader, whys.select)
  const isAlias = reader.next === ':' && !reader.startsWith('::')
  if (isAlias) reader.take(':')
  else reader.place = begin
  const as = isAlias ? { as: first } : {}
  const fieldBegin = reader.place
  const name = readName(reader, whys.select)
  if (reader.next === '!' || reader.next === '(')
    return { kind: 'embed', ...as, isSpread, ...embedded(reader, name, budget, depth) }
  if (isSpread) refuse(unreadable(reader.text, whys.select))
  reader.place = fieldBegin
  const field = readField(reader)
  if (aggregate.test(reader.text.slice(reader.place, reader.place + 8))) refuse(refusals.aggregate)
  const cast = reader.take('::') ? { cast: readName(reader, whys.select) } : {}
  return { kind: 'field', ...as, field, ...cast }
}

function embedded(
  reader: Reader,
  target: string,
  budget: Budget,
  depth: number,
): Pick<SelectedTable, 'target' | 'hint' | 'isInner' | 'select'> {
  let [hint, isInner]: [string | undefined, boolean] = [undefined, false]
  while (reader.take('!')) {
    const word = readName(reader, whys.select)
    if (word === 'inner') isInner = true
    else if (word !== 'left') hint = word
  }
  if (!reader.take('(')) refuse(unreadable(reader.text, whys.select))
  reader.blanks()
  const isEmpty = reader.next === ')'
  if (isEmpty && ['count', 'sum', 'avg', 'max', 'min'].includes(target)) refuse(refusals.aggregate)
  const select = isEmpty ? [] : selectedList(reader, budget, depth + 1)
  if (!reader.take(')')) refuse(unreadable(reader.text, whys.select))
  return { target, hint, isInner, select }
}

function parseOrder(text: string, budget: Budget): Order[] {
  if (text.trim() === '') return []
  const reader = new Reader(text)
  const orders: Order[] = []
  do {
    budget.spend()
    reader.blanks()
    orders.push(order(reader))
    reader.blanks()
  } while (reader.take(','))
  if (!reader.isOver) refuse(unreadable(text, whys.order))
  return orders
}

const ways: Readonly<Record<string, Partial<Order>>> = {
  asc: { isDescending: false },
  desc: { isDescending: true },
  nullsfirst: { nulls: 'first' },
  nullslast: { nulls: 'last' },
}

/** Reads one order: `name.desc.nullslast`, `customers(name).asc`. */
function order(reader: Reader): Order {
  const begin = reader.place
  const name = readName(reader, whys.order)
  const isOf = reader.take('(')
  if (!isOf) reader.place = begin
  const field = readField(reader)
  if (isOf && !reader.take(')')) refuse(unreadable(reader.text, whys.order))
  let read: Order = { ...(isOf && { of: name }), field, isDescending: false }
  while (reader.take('.')) {
    const word = reader.word()
    if (!Object.hasOwn(ways, word)) refuse(unreadable(reader.text, whys.order))
    read = { ...read, ...ways[word] }
  }
  return read
}
