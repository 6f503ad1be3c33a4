/** Functions of the database, called by name: their arguments come as one JSON object, their rows are narrowed as those of a table are. */
import type { Catalogue, Routine, Table } from './catalogue.ts'
import { Builder, bodyOf, type ReadOptions, type Statement } from './read-sql.ts'
import { refusals, refuse } from './refusals.ts'
import type { TablesQuery } from './request.ts'
import { quoted, type Values } from './sql-text.ts'

/** The one of this name that takes these arguments and needs no others. Throws TablesRefused. */
export function chooseRoutine(
  catalogue: Catalogue,
  { schema, name }: { schema: string; name: string },
  given: readonly string[],
): Routine {
  const fitting = catalogue.routines(schema, name).filter(({ parameters }) => {
    const names = parameters.map((parameter) => parameter.name)
    const needed = parameters.filter(({ hasDefault, isVariadic }) => !hasDefault && !isVariadic)
    return (
      given.every((one) => names.includes(one)) && needed.every((parameter) => given.includes(parameter.name))
    )
  })
  const [one, ...more] = fitting
  if (!one || more.length > 0) return refuse(refusals.noFunction(schema, name, given))
  return one
}

/** `args`: a JSON object whose members are named in `given`. */
export function callStatement(
  catalogue: Catalogue,
  routine: Routine,
  query: TablesQuery,
  { given, args, ...options }: ReadOptions & { given: readonly string[]; args: string },
): Statement {
  const builder = new Builder(catalogue, query, options.maxRows)
  const call = callSql(routine, given, args, builder.values)
  const { returns } = routine
  if (returns.table) {
    const rows = builder.rows(
      { table: returns.table, sql: `(select called.* from ${call})` },
      { select: query.select, way: [], page: returns.isSet ? 'capped' : 'none' },
    )
    builder.requireAllUsed()
    return { text: `${bodyOf(builder, rows, options)} from page`, values: builder.values.list }
  }
  const rows = returns.isScalar
    ? `select called.value from ${call.replace(/ as called$/, ' as called(value)')}`
    : `select called.* from ${call}`
  return { text: `${bodyOf(builder, rows, options)} from page`, values: builder.values.list }
}

/** `"public"."f"("a" => given."a") as called`, its arguments read by PostgreSQL as the types of the parameters. */
function callSql(routine: Routine, given: readonly string[], args: string, values: Values): string {
  const name = `${quoted(routine.schema)}.${quoted(routine.name)}`
  if (given.length === 0) return `${name}() as called`
  const parameters = routine.parameters.filter((parameter) => given.includes(parameter.name))
  const types = parameters.map((parameter) => `${quoted(parameter.name)} ${parameter.type}`).join(', ')
  const passed = parameters
    .map(
      (parameter) =>
        `${parameter.isVariadic ? 'variadic ' : ''}${quoted(parameter.name)} => given.${quoted(parameter.name)}`,
    )
    .join(', ')
  return `json_to_record(${values.add(args)}::json) as given(${types}), lateral ${name}(${passed}) as called`
}

/** Whose rows a function returns, where it returns those of a table. */
export const tableOf = ({ returns }: Routine): Table | undefined => returns.table
