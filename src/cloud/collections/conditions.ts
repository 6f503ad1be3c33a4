/**
 * Conditions on rows as SQL. A value is compared by the JSON type of what is stored (docs/decisions/cloud/collections.md): the text of a filter
 * says nothing of its type, so `5` means the number where a number is stored and the text where a text is stored.
 */
import { isUuid } from '#platform/ids'
import { readExactly } from '#platform/json'
import { documentText } from './document.ts'
import { refuseQuery } from './errors.ts'
import type { Condition, ContainedValue, Field, RangeKind, RowColumn } from './query.ts'
import type { Parameters } from './sql-text.ts'

/** The collations that order text; there are only these two. */
export type Collation = '"fa-x-icu"' | '"C"'

interface ConditionContext {
  parameters: Parameters
  collation: Collation
}

export const columnSql = {
  id: 'r.row_id',
  owner_id: 'r.owner_id',
  created_at: 'r.created_at',
  updated_at: 'r.updated_at',
} as const satisfies Record<RowColumn, string>

/** The stored value; JSON null counts as missing. */
export const jsonSql = (path: readonly string[], parameters: Parameters): string =>
  `nullif(r.data #> ${parameters.add(path, 'text[]')}, 'null'::jsonb)`

/** SQL of the stored value as text: a text without quotes, anything else as JSON. */
export function textSql(field: Field, parameters: Parameters): string {
  if ('column' in field) return `${columnSql[field.column]}::text`
  return `(r.data #>> ${parameters.add(field.path, 'text[]')})`
}

/** Throws ROW_QUERY where a literal does not fit a column, or a condition does not exist for it. */
export function conditionSql(condition: Condition, context: ConditionContext): string {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return groupSql(condition, context)
    case 'not':
      return `(not ${conditionSql(condition.of, context)})`
    case 'equal':
      return equalSql(condition.field, condition.texts, context)
    case 'distinct':
      return `(${equalSql(condition.field, [condition.text], context)} is not true)`
    case 'compare':
      return compareSql(condition, context)
    case 'like':
      return likeSql(condition, context)
    case 'is':
      return isSql(condition, context)
    case 'range':
      return rangeSql(condition, context)
    case 'search':
      return searchSql(condition, context)
    default:
      return containedSql(condition, context)
  }
}

function groupSql(
  { kind, of }: Extract<Condition, { kind: 'and' | 'or' }>,
  context: ConditionContext,
): string {
  if (of.length === 0) return kind === 'and' ? 'true' : 'false'
  return `(${of.map((one) => conditionSql(one, context)).join(kind === 'and' ? ' and ' : ' or ')})`
}

function equalSql(field: Field, texts: readonly string[], { parameters }: ConditionContext): string {
  if ('column' in field) {
    const column = columnSql[field.column]
    if (field.column === 'id' || field.column === 'owner_id')
      return `(${column} = any(${parameters.add(texts.map(uuidOf), 'uuid[]')}))`
    return `(${column} = any(${parameters.add(texts.map(timeOf), 'timestamptz[]')}))`
  }
  if (field.asText) return `(${textSql(field, parameters)} = any(${parameters.add([...texts], 'text[]')}))`
  const json = texts.flatMap((text) => jsonInterpretations(text))
  return `(${jsonSql(field.path, parameters)} = any(${parameters.add(json, 'jsonb[]')}))`
}

function compareSql(
  { field, operator, text }: Extract<Condition, { kind: 'compare' }>,
  { parameters, collation }: ConditionContext,
): string {
  if ('column' in field) {
    const isId = field.column === 'id' || field.column === 'owner_id'
    const value = isId ? parameters.add(uuidOf(text), 'uuid') : parameters.add(timeOf(text), 'timestamptz')
    return `(${columnSql[field.column]} ${operator} ${value})`
  }
  const asText = `${textSql(field, parameters)} collate ${collation} ${operator} ${parameters.add(text, 'text')}`
  if (field.asText) return `(${asText})`
  const json = jsonSql(field.path, parameters)
  const number = numberOf(text)
  const numbers =
    number === undefined ? '' : ` when 'number' then ${json} ${operator} ${parameters.add(number, 'jsonb')}`
  return `(case jsonb_typeof(${json})${numbers} when 'string' then ${asText} end)`
}

function likeSql(
  { field, pattern, anyCase }: Extract<Condition, { kind: 'like' }>,
  { parameters }: ConditionContext,
): string {
  // The database would refuse the pattern only where a row matches up to the backslash.
  let slashes = 0
  while (pattern.at(-1 - slashes) === '\\') slashes++
  if (slashes % 2 === 1) refuseQuery('pattern', pattern)
  return `(${textSql(field, parameters)} ${anyCase ? 'ilike' : 'like'} ${parameters.add(pattern, 'text')})`
}

function isSql(
  { field, what }: Extract<Condition, { kind: 'is' }>,
  { parameters }: ConditionContext,
): string {
  const isTruth = what === 'true' || what === 'false'
  if ('column' in field) {
    if (isTruth || what === 'unknown') refuseQuery('noSuchComparison', field.column)
    return `(${columnSql[field.column]} is ${what === 'null' ? '' : 'not '}null)`
  }
  const json = jsonSql(field.path, parameters)
  if (isTruth) return `((${json} = ${parameters.add(what, 'jsonb')}) is true)`
  return `(${json} is ${what === 'not_null' ? 'not ' : ''}null)`
}

const rangeTypes = { numbers: 'numrange', times: 'tstzrange' } as const satisfies Record<RangeKind, string>
const rangeOperators = {
  left: '<<',
  right: '>>',
  notLeft: '&>',
  notRight: '&<',
  adjacent: '-|-',
  contains: '@>',
  contained: '<@',
  overlaps: '&&',
} as const

function rangeSql(
  {
    field,
    operator,
    text,
    of,
  }: { field: Field; operator: keyof typeof rangeOperators; text: string; of: RangeKind },
  { parameters }: ConditionContext,
): string {
  if ('column' in field) return refuseQuery('noSuchComparison', field.column)
  const stored = textSql(field, parameters)
  const type = rangeTypes[of]
  // The stored value may be anything; the type is fixed, so only the check of the text decides.
  return `(case when pg_input_is_valid(${stored}, '${type}') then ${stored}::${type} ${rangeOperators[operator]} ${parameters.add(text, 'text')}::${type} end)`
}

const searchFunctions = {
  words: 'to_tsquery',
  plain: 'plainto_tsquery',
  phrase: 'phraseto_tsquery',
  web: 'websearch_to_tsquery',
} as const

function searchSql(
  { field, parse, config, text }: Extract<Condition, { kind: 'search' }>,
  { parameters }: ConditionContext,
): string {
  if ('column' in field) return refuseQuery('noSuchComparison', field.column)
  const language = `${parameters.add(config, 'text')}::regconfig`
  return `(to_tsvector(${language}, ${textSql(field, parameters)}) @@ ${searchFunctions[parse]}(${language}, ${parameters.add(text, 'text')}))`
}

function containedSql(
  { kind, field, value }: Extract<Condition, { kind: 'contains' | 'contained' | 'overlaps' }>,
  context: ConditionContext,
): string {
  if ('column' in field) return refuseQuery('noSuchComparison', field.column)
  if (value.kind === 'range')
    return rangeSql({ field, operator: kind, text: value.text, of: value.of }, context)
  const { parameters } = context
  const json = jsonSql(field.path, parameters)
  if (kind === 'contains') return containsSql(json, value, parameters)
  if (kind === 'contained') return `(${json} <@ any(${parameters.add(supersetsOf(value), 'jsonb[]')}))`
  const members = value.kind === 'array' ? value.members : value.json.flatMap(membersOf)
  const single = members.flat().map((member) => `[${member}]`)
  return `(jsonb_typeof(${json}) = 'array' and ${json} @> any(${parameters.add(single, 'jsonb[]')}))`
}

/** A condition that every member is there, in one of its readings. */
function containsSql(json: string, value: ContainedValue, parameters: Parameters): string {
  if (value.kind === 'json') return `(${json} @> any(${parameters.add([...value.json], 'jsonb[]')}))`
  if (value.kind === 'range' || value.members.length === 0)
    return `(${json} @> ${parameters.add('[]', 'jsonb')})`
  const each = value.members.map(
    (readings) =>
      `${json} @> any(${parameters.add(
        readings.map((one) => `[${one}]`),
        'jsonb[]',
      )})`,
  )
  return `(${each.join(' and ')})`
}

const supersetsOf = (value: ContainedValue): string[] =>
  value.kind === 'array'
    ? [`[${value.members.flat().join(',')}]`]
    : value.kind === 'json'
      ? [...value.json]
      : []

/** The members of JSON that is an array. */
function membersOf(json: string): string[][] {
  const value = readExactly(json)
  return Array.isArray(value) ? value.map((member) => [JSON.stringify(member)]) : []
}

/** PostgreSQL writes such a number out, in at most two thousand digits. */
const numberPattern = /^-?(?:0|[1-9]\d{0,308})(?:\.\d{1,400})?(?:[eE][+-]?\d{1,3})?$/

/** Returns a number as it stands, since PostgreSQL compares by every digit; undefined for text that is no number in JSON. */
export const numberOf = (text: string): string | undefined => (numberPattern.test(text) ? text : undefined)

/** Returns what a text may mean, as JSON: the text itself, and the number, truth value, object or array that it spells. */
export function jsonInterpretations(text: string): string[] {
  const readings = [JSON.stringify(text)]
  const number = numberOf(text)
  if (number !== undefined) readings.push(number)
  else if (text === 'true' || text === 'false') readings.push(text)
  else if (text.startsWith('{') || text.startsWith('[')) {
    const json = documentText(text)
    if (json !== undefined) readings.push(json)
  }
  return readings
}

const uuidOf = (text: string): string => (isUuid(text) ? text : refuseQuery('notUuid', text))

const timePattern =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)\s?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i

/** A time without an offset is in UTC. */
function timeOf(text: string): Date {
  const [, day, time = '00:00', offset = 'Z'] = timePattern.exec(text) ?? []
  const zone = /^[+-]\d\d$/.test(offset) ? `${offset}:00` : offset.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')
  const at = day === undefined ? undefined : new Date(`${day}T${time}${zone.toUpperCase()}`)
  return at === undefined || Number.isNaN(at.getTime()) ? refuseQuery('notTime', text) : at
}
