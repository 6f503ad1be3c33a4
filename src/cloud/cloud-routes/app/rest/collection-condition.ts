/** Translates filters for collections, which compare by the values of a document, since it has no types of columns. */
import {
  type Condition,
  type ContainedValue,
  type Field,
  isRowColumn,
  jsonInterpretations,
  queryLimits,
  type RangeKind,
  searchConfigs,
} from '#cloud/collections'
import { arrayMembers, parseRefusal, refuse, type TablesCondition, type TablesField } from '#cloud/tables'
import { queryReasons, refusals } from './refusals.ts'

const maxMembers = 100

/** Counts the conditions of a request. */
export class ConditionCounter {
  #used = 0
  count(): void {
    this.#used++
    if (this.#used > queryLimits.conditions) refuse(parseRefusal('or', queryReasons.conditions))
  }
}

/** Throws RestRefused. */
export function fieldOf({ column, path, asText }: TablesField): Field {
  if (path.length >= queryLimits.path) refuse(parseRefusal(column, queryReasons.field))
  if (!isRowColumn(column)) return { path: [column, ...path], asText }
  if (path.length > 0) refuse(parseRefusal(column, queryReasons.columnPath))
  return { column }
}

/** Throws RestRefused. */
export function conditionOf(condition: TablesCondition, counter: ConditionCounter): Condition {
  if (condition.kind === 'not') return { kind: 'not', of: conditionOf(condition.of, counter) }
  if ('of' in condition)
    return { kind: condition.kind, of: condition.of.map((one) => conditionOf(one, counter)) }
  const field = fieldOf(condition.field)
  if (condition.kind === 'quantified') {
    const { which, operator, values } = condition
    // Each of the values is a condition.
    if (values.length === 0) counter.count()
    const of = values.map((text) => comparison(field, operator, text, counter))
    return { kind: which === 'any' ? 'or' : 'and', of }
  }
  if (condition.kind === 'compare') return comparison(field, condition.operator, condition.value, counter)
  counter.count()
  if (condition.kind === 'in') return { kind: 'equal', field, texts: condition.values }
  if (condition.kind === 'is')
    return { kind: 'is', field, what: condition.what === 'not null' ? 'not_null' : condition.what }
  return search(field, condition)
}

type TablesOperator = Extract<TablesCondition, { kind: 'compare' }>['operator']

const sets = { '@>': 'contains', '<@': 'contained', '&&': 'overlaps' } as const
const ranges = {
  '<<': 'left',
  '>>': 'right',
  '&>': 'notLeft',
  '&<': 'notRight',
  '-|-': 'adjacent',
} as const

function comparison(
  field: Field,
  operator: TablesOperator,
  text: string,
  counter: ConditionCounter,
): Condition {
  counter.count()
  switch (operator) {
    case '=':
      return { kind: 'equal', field, texts: [text] }
    case '<>':
      return { kind: 'not', of: { kind: 'equal', field, texts: [text] } }
    case 'is distinct from':
      return { kind: 'distinct', field, text }
    case '<':
    case '<=':
    case '>':
    case '>=':
      return { kind: 'compare', field, operator, text }
    case 'like':
    case 'ilike':
      return { kind: 'like', field, pattern: short(text), anyCase: operator === 'ilike' }
    case '~':
    case '~*':
      return refuse(refusals.regex)
    case '@>':
    case '<@':
    case '&&':
      return { kind: sets[operator], field, value: containedOf(text) }
    default: {
      const of = rangeKind(text) ?? refuse(parseRefusal(text, queryReasons.range))
      return { kind: 'range', field, operator: ranges[operator], text, of }
    }
  }
}

const short = (pattern: string): string =>
  pattern.length > queryLimits.patternCharacters
    ? refuse(parseRefusal(pattern, queryReasons.pattern))
    : pattern

const searches = {
  to_tsquery: 'words',
  plainto_tsquery: 'plain',
  phraseto_tsquery: 'phrase',
  websearch_to_tsquery: 'web',
} as const

function search(
  field: Field,
  { by, config = 'simple', value }: Extract<TablesCondition, { kind: 'search' }>,
): Condition {
  const known =
    searchConfigs.find((one) => one === config) ?? refuse(parseRefusal(config, queryReasons.search))
  return { kind: 'search', field, parse: searches[by], config: known, text: short(value) }
}

function containedOf(text: string): ContainedValue {
  const isRange = /^[[(].*[\])]$/s.test(text) && (text.startsWith('(') || text.endsWith(')'))
  const of = isRange ? rangeKind(text) : undefined
  if (of) return { kind: 'range', text, of }
  if (/^\{\s*\}$/.test(text)) return { kind: 'json', json: ['{}', '[]'] }
  const json = /^[[{]/.test(text) ? jsonInterpretations(text)[1] : undefined
  if (json !== undefined) return { kind: 'json', json: [json] }
  const members = arrayMembers(text) ?? refuse(parseRefusal(text, queryReasons.contained))
  if (members.length > maxMembers) refuse(parseRefusal(text, queryReasons.values))
  return { kind: 'array', members: members.map((member) => jsonInterpretations(member)) }
}

const numberPart = /^(?:-?\d{1,100}(?:\.\d{1,100})?)?$/

function rangeKind(text: string): RangeKind | undefined {
  if (text === 'empty') return 'numbers'
  if (text.length > 200) return undefined
  const parts = /^[[(]([^,]*),([^,]*)[\])]$/.exec(text)
  if (!parts) return undefined
  return parts.slice(1).every((part) => numberPart.test(part.trim())) ? 'numbers' : 'times'
}
