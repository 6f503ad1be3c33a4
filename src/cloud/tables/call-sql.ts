/** Calls functions of the database by name; their answers are narrowed as the rows of a table are. */
import {
  type Catalogue,
  type DatabaseTable,
  type Parameter,
  type Routine,
  tableOfColumns,
} from './catalogue.ts'
import { bodyOf, type ReadOptions, type ReadPlan, readAnswer } from './read-sql.ts'
import { refusals } from './refusals.ts'
import { refuse } from './refuse.ts'
import type { TablesQuery } from './request.ts'
import { Builder } from './rows-sql.ts'
import { arrayLiteral, quoted, type Values } from './sql-text.ts'

/** What a function is called with. */
export type RoutineArguments =
  /** The members of a JSON object, by name; `json` is the object as it came. */
  | { kind: 'members'; names: readonly string[]; json: string }
  /** Texts by name, several of one name for a function that takes any number. */
  | { kind: 'texts'; texts: ReadonlyMap<string, readonly string[]> }
  /** A body that is the only argument of a function whose parameter has no name. */
  | { kind: 'whole'; body: Buffer }

/** Types of bodies that are whole arguments, and the types of parameters that take them. */
const wholeBodyTypes: Readonly<Record<string, readonly string[]>> = {
  'application/json': ['json', 'jsonb'],
  'text/plain': ['text'],
  'text/xml': ['xml'],
  'application/octet-stream': ['bytea'],
}

/** Functions of this name. Throws RestRefused where there is none. */
export function routinesOf(catalogue: Catalogue, schema: string, name: string): readonly Routine[] {
  const all = catalogue.routines(schema, name)
  return all.length > 0 ? all : refuse(refusals.noFunction(schema, name, []))
}

/** The function that takes these arguments and needs no others. Throws RestRefused. */
export function chooseRoutine(all: readonly Routine[], given: readonly string[]): Routine {
  const fitting = all.filter(({ parameters }) => {
    const names = parameters.map(({ name }) => name)
    const needed = parameters.filter(({ hasDefault, isVariadic }) => !hasDefault && !isVariadic)
    return (
      given.every((one) => one !== '' && names.includes(one)) &&
      needed.every(({ name }) => given.includes(name))
    )
  })
  const [one, ...more] = fitting
  const { schema, name } = all[0]!
  if (!one) return refuse(refusals.noFunction(schema, name, given))
  if (more.length > 0) refuse(refusals.severalFunctions(schema, name, given))
  return one
}

/** The function whose only parameter has no name and takes a body of this type. */
export const routineForWholeBody = (all: readonly Routine[], mediaType: string): Routine | undefined =>
  all.find(({ parameters: [first, ...more] }) => {
    if (first?.name !== '' || more.length > 0 || !Object.hasOwn(wholeBodyTypes, mediaType)) return false
    return wholeBodyTypes[mediaType]!.includes(first.type)
  })

export interface CallPlan extends ReadPlan {
  returns: Routine['returns']
  /** The offset of the rows that are answered. */
  offset: number
}

/** The statement of a call, and how its answer is read. Throws RestRefused. */
export function callPlan(
  catalogue: Catalogue,
  routine: Routine,
  query: TablesQuery,
  { given, ...options }: ReadOptions & { given: RoutineArguments },
): CallPlan {
  const builder = new Builder(catalogue, query, options.maxRows)
  const { returns } = routine
  const table = returns.table ?? tableOfValue(routine)
  const columns = [...table.columns.keys()].map(quoted).join(', ')
  const called = `select called.* from ${callSql(routine, given, builder.values)} as called(${columns})`
  const source = { table, sql: '(select * from called)' }
  const { select } = query
  const { sql, names } = builder.rowsQuery(source, {
    select,
    embedPath: [],
    page: returns.isSet ? 'capped' : 'none',
  })
  builder.requireAllUsed()
  // The function has to run to be counted, even where an estimate would do.
  const all = options.count ? builder.rows(source, { select, embedPath: [], isCounted: true }) : ''
  const total = all === '' ? 'null' : `(select pg_catalog.count(*) from (${all}) as all_rows)`
  const page = bodyOf(builder, sql, options, returns.table ? undefined : `rows.${quoted(valueName)}`)
  const text = `with called as (${called}), ${page}, ${total} as total from page`
  return {
    ...{ returns, offset: builder.filterOf([]).offset },
    statements: [{ text, values: builder.values.list }],
    answer: (answers) => readAnswer(answers, names, options.count ? { ...options, count: 'exact' } : options),
  }
}

/** A single value is read as a table of one column, which has this name. */
const valueName = 'value'

const tableOfValue = (routine: Routine): DatabaseTable => {
  const { type } = routine.returns
  const more = {
    operators: 'pg_catalog',
    notNull: false,
    default: null,
    isGenerated: false,
    description: null,
  }
  return tableOfColumns(routine, [{ name: valueName, type, ...more }])
}

/** The call in SQL: `lateral "public"."f"("a" => given."a")`. PostgreSQL reads each argument as the type of its parameter. */
function callSql(routine: Routine, given: RoutineArguments, values: Values): string {
  const name = `${quoted(routine.schema)}.${quoted(routine.name)}`
  if (given.kind === 'whole') {
    const { type } = routine.parameters[0]!
    return `${name}(${values.add(type === 'bytea' ? `\\x${given.body.toString('hex')}` : given.body.toString())}::${type})`
  }
  if (given.kind === 'texts')
    return `${name}(${argumentsSql(routine, values, (one) => textSql(one, given.texts, values))})`
  const parameters = routine.parameters.filter((one) => given.names.includes(one.name))
  const all = argumentsSql(routine, values, (one) =>
    parameters.includes(one) ? `given.${quoted(one.name)}` : undefined,
  )
  if (parameters.length === 0) return `${name}(${all})`
  const types = parameters.map((one) => `${quoted(one.name)} ${one.type}`).join(', ')
  const members = `pg_catalog.json_to_record(${values.add(given.json)}::pg_catalog.json) as given(${types})`
  return `${members}, lateral ${name}(${all})`
}

/** The arguments in SQL. A variadic parameter may have none, which PostgreSQL takes only as an empty array. */
function argumentsSql(
  { parameters }: Routine,
  values: Values,
  sqlOf: (parameter: Parameter) => string | undefined,
): string {
  return parameters
    .flatMap((one) => {
      const isNone = one.isVariadic && !one.hasDefault
      const value = sqlOf(one) ?? (isNone ? `${values.add('{}')}::${one.type}` : undefined)
      if (value === undefined) return []
      return [`${one.isVariadic ? 'variadic ' : ''}${quoted(one.name)} => ${value}`]
    })
    .join(', ')
}

function textSql(
  parameter: Parameter,
  texts: ReadonlyMap<string, readonly string[]>,
  values: Values,
): string | undefined {
  const given = texts.get(parameter.name)
  if (!given) return undefined
  // One text in braces is an array already.
  const isList = parameter.isVariadic && !(given.length === 1 && given[0]!.startsWith('{'))
  return `${values.add(isList ? arrayLiteral(given) : given.at(-1))}::${parameter.type}`
}
