/** The query of a request, read in one pass from left to right. Errors in it are refused as PostgREST would; nothing is looked up. */
import { parseCondition, parseGroup } from './parse-condition.ts'
import { readField, readName } from './parse-name.ts'
import { TextReader } from './reader.ts'
import { refusals, syntaxReasons } from './refusals.ts'
import { parseRefusal, refuse } from './refuse.ts'
import {
  embedPathKey,
  type Order,
  type SelectedItem,
  type SelectedTable,
  type TableFilter,
  type TablesQuery,
} from './request.ts'

/** The most parts of one request: fields, tables, conditions and orders together. */
const maxParts = 500
const maxDepth = 10

/** Counts the parts of a request. */
export class PartBudget {
  #left = maxParts
  spend(parts = 1): void {
    this.#left -= parts
    if (this.#left < 0) refuse(refusals.tooManyParts(maxParts))
  }
}

const groupNames = new Set(['or', 'and', 'not.or', 'not.and'])

/** Reads the parameters of a request. Throws RestRefused. */
export function parseQuery(parameters: Iterable<readonly [name: string, value: string]>): TablesQuery {
  const budget = new PartBudget()
  const filters = new Map<string, TableFilter>()
  const at = (embedPath: readonly string[]): TableFilter => {
    const key = embedPathKey(embedPath)
    const filter = filters.get(key) ?? { where: [], order: [], offset: 0 }
    filters.set(key, filter)
    return filter
  }
  let select: readonly SelectedItem[] = [{ kind: 'all' }]
  const more: Pick<TablesQuery, 'columns' | 'onConflict'> = {}
  for (const [name, value] of parameters) {
    if (name.includes('\0') || value.includes('\0'))
      refuse(parseRefusal(name.replaceAll('\0', ''), syntaxReasons.nul))
    if (name === 'select') select = parseSelect(value, budget)
    else if (name === 'columns') more.columns = parseNames(value)
    else if (name === 'on_conflict') more.onConflict = parseNames(value)
    else if (name !== 'apikey') narrow(at, name, value, budget)
  }
  return { select, filters, ...more }
}

/** Reads one parameter that narrows or orders rows: `age=gt.5`, `orders.items.or=(…)`, `order=name`, `orders.limit=3`. */
function narrow(
  at: (embedPath: readonly string[]) => TableFilter,
  name: string,
  value: string,
  budget: PartBudget,
): void {
  budget.spend()
  const { way: embedPath, rest } = splitPath(name)
  const filter = at(embedPath)
  if (rest === 'order') filter.order = parseOrder(value, budget)
  else if (rest === 'limit') filter.limit = wholeNumber(value)
  else if (rest === 'offset') filter.offset = wholeNumber(value)
  else if (groupNames.has(rest)) filter.where.push(parseGroup(rest, value, budget))
  else filter.where.push(parseCondition(rest, value, budget))
}

/** Splits off the names before the last one, which are those of embedded tables; the last may be `not.or`. */
function splitPath(name: string): { way: string[]; rest: string } {
  const embedPath: string[] = []
  const reader = new TextReader(name)
  let begin = 0
  for (;;) {
    if (groupNames.has(name.slice(begin))) return { way: embedPath, rest: name.slice(begin) }
    const part = readName(reader, syntaxReasons.name)
    if (!reader.take('.')) return { way: embedPath, rest: name.slice(begin) }
    embedPath.push(part)
    if (embedPath.length > maxDepth) refuse(parseRefusal(name, syntaxReasons.deep))
    begin = reader.offset
  }
}

/** A whole number. One that is beyond the range of the database is cut to a number that is beyond all rows. */
function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) refuse(parseRefusal(text, syntaxReasons.number))
  return Math.min(Number(text), 2_000_000_000)
}

function parseNames(text: string): string[] {
  if (text.trim() === '') return []
  const reader = new TextReader(text)
  const names: string[] = []
  do {
    reader.skipBlanks()
    names.push(readName(reader, syntaxReasons.name, ','))
    reader.skipBlanks()
  } while (reader.take(','))
  if (!reader.isOver) refuse(parseRefusal(text, syntaxReasons.name))
  return [...new Set(names)]
}

export function parseSelect(text: string, budget: PartBudget): readonly SelectedItem[] {
  if (text.trim() === '') return [{ kind: 'all' }]
  const reader = new TextReader(text)
  const select = selectedList(reader, budget, 1)
  if (!reader.isOver) refuse(parseRefusal(text, syntaxReasons.select))
  return select
}

function selectedList(reader: TextReader, budget: PartBudget, depth: number): SelectedItem[] {
  if (depth > maxDepth) refuse(parseRefusal(reader.text, syntaxReasons.deep))
  const list: SelectedItem[] = []
  do {
    budget.spend()
    reader.skipBlanks()
    list.push(selected(reader, budget, depth))
    reader.skipBlanks()
  } while (reader.take(','))
  return list
}

const aggregate = /^\.(?:count|sum|avg|max|min)\(/

/** Reads one member of `select`: `*`, `alias:column->path::type`, `...alias:table!hint!inner(…)`. */
function selected(reader: TextReader, budget: PartBudget, depth: number): SelectedItem {
  if (reader.take('*')) return { kind: 'all' }
  const isSpread = reader.take('...')
  const begin = reader.offset
  const first = readName(reader, syntaxReasons.select)
  const isAlias = reader.next === ':' && !reader.startsWith('::')
  if (isAlias) reader.take(':')
  else reader.offset = begin
  const as = isAlias ? { as: first } : {}
  const fieldBegin = reader.offset
  const name = readName(reader, syntaxReasons.select)
  if (reader.next === '!' || reader.next === '(')
    return { kind: 'embed', ...as, isSpread, ...embedded(reader, name, budget, depth) }
  if (isSpread) refuse(parseRefusal(reader.text, syntaxReasons.select))
  reader.offset = fieldBegin
  const field = readField(reader)
  if (aggregate.test(reader.text.slice(reader.offset, reader.offset + 8))) refuse(refusals.aggregate)
  const cast = reader.take('::') ? { cast: readName(reader, syntaxReasons.select) } : {}
  return { kind: 'field', ...as, field, ...cast }
}

function embedded(
  reader: TextReader,
  target: string,
  budget: PartBudget,
  depth: number,
): Pick<SelectedTable, 'target' | 'hint' | 'isInner' | 'select'> {
  let [hint, isInner]: [string | undefined, boolean] = [undefined, false]
  while (reader.take('!')) {
    const word = readName(reader, syntaxReasons.select)
    if (word === 'inner') isInner = true
    else if (word !== 'left') hint = word
  }
  if (!reader.take('(')) refuse(parseRefusal(reader.text, syntaxReasons.select))
  reader.skipBlanks()
  const isEmpty = reader.next === ')'
  if (isEmpty && ['count', 'sum', 'avg', 'max', 'min'].includes(target)) refuse(refusals.aggregate)
  const select = isEmpty ? [] : selectedList(reader, budget, depth + 1)
  if (!reader.take(')')) refuse(parseRefusal(reader.text, syntaxReasons.select))
  return { target, hint, isInner, select }
}

function parseOrder(text: string, budget: PartBudget): Order[] {
  if (text.trim() === '') return []
  const reader = new TextReader(text)
  const orders: Order[] = []
  do {
    budget.spend()
    reader.skipBlanks()
    orders.push(order(reader))
    reader.skipBlanks()
  } while (reader.take(','))
  if (!reader.isOver) refuse(parseRefusal(text, syntaxReasons.order))
  return orders
}

const ways: Readonly<Record<string, Partial<Order>>> = {
  asc: { isDescending: false },
  desc: { isDescending: true },
  nullsfirst: { nulls: 'first' },
  nullslast: { nulls: 'last' },
}

/** Reads one order: `name.desc.nullslast`, `customers(name).asc`. */
function order(reader: TextReader): Order {
  const begin = reader.offset
  const name = readName(reader, syntaxReasons.order)
  const isOf = reader.take('(')
  if (!isOf) reader.offset = begin
  const field = readField(reader)
  if (isOf && !reader.take(')')) refuse(parseRefusal(reader.text, syntaxReasons.order))
  let read: Order = { ...(isOf && { of: name }), field, isDescending: false }
  while (reader.take('.')) {
    const word = reader.readWord()
    if (!Object.hasOwn(ways, word)) refuse(parseRefusal(reader.text, syntaxReasons.order))
    read = { ...read, ...ways[word] }
  }
  return read
}
