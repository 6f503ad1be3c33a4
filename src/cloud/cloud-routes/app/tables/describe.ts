/** `GET /rest/v1/`: tables and functions that the caller may use, in the form of OpenAPI 2.0, which common tools read. */

import type { Catalogue, Column, DatabaseTable } from '#cloud/tables'
import { refuse } from '#cloud/tables'
import type { AppReply } from '../area.ts'
import { openApiReply } from '../rest/describe.ts'
import { refusals } from '../rest/refusals.ts'
import type { TablesRequest } from './request.ts'

const rightsOf = `select c.oid::text, has_any_column_privilege(c.oid, 'select'), has_any_column_privilege(c.oid, 'insert'),
has_any_column_privilege(c.oid, 'update'), has_table_privilege(c.oid, 'delete') from pg_catalog.pg_class c where c.oid = any($1::oid[])`
const callable = `select distinct p.proname from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
where n.nspname = $1::text and p.prokind = 'f' and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)
and has_function_privilege(p.oid, 'execute') order by 1`
const methods = ['get', 'post', 'patch', 'delete'] as const

export async function describe({ call, schema, run }: TablesRequest): Promise<AppReply> {
  if (call.method !== 'GET' && call.method !== 'HEAD') refuse(refusals.method(call.method))
  let tables: Catalogue['tables'] = []
  const [rights = [], functions = []] = await run(
    (catalogue) => {
      tables = catalogue.tables
      const ids = `{${tables.map(({ id }) => id).join(',')}}`
      return [
        { text: rightsOf, values: [ids] },
        { text: callable, values: [schema] },
      ]
    },
    { isReadOnly: true },
  )
  const allowed = new Map(
    rights.map(([id, ...may]) => [id!, methods.filter((_, place) => may[place] === 't')]),
  )
  const shown = tables.filter(({ id }) => (allowed.get(id)?.length ?? 0) > 0)
  const paths = [
    ...shown.map((table) => [`/${table.name}`, operations(table, allowed.get(table.id)!)]),
    ...functions.map(([name]) => [`/rpc/${name}`, { post: { tags: [`(rpc) ${name}`], responses: answers } }]),
  ]
  const definitions = shown.map((table) => [table.name, definition(table)])
  return openApiReply(call, Object.fromEntries(paths), Object.fromEntries(definitions))
}

const answers = { 200: { description: 'OK' } }

function operations({ name, description }: DatabaseTable, may: readonly (typeof methods)[number][]): object {
  const schema = { $ref: `#/definitions/${name}` }
  const summary = description === null ? {} : { summary: description }
  const operation = { tags: [name], ...summary, responses: { 200: { description: 'OK', schema } } }
  return Object.fromEntries(may.map((method) => [method, operation]))
}

function definition({ columns, primaryKey, description }: DatabaseTable): object {
  const all = [...columns.values()]
  return {
    type: 'object',
    required: all.filter(({ notNull }) => notNull).map(({ name }) => name),
    properties: Object.fromEntries(all.map((column) => [column.name, property(column, primaryKey)])),
    ...(description !== null && { description }),
  }
}

function property({ name, type, description }: Column, primaryKey: readonly string[]): object {
  const note = primaryKey.includes(name) ? 'Note:\nThis is a Primary Key.<pk/>' : undefined
  const words = [description, note].filter((one) => typeof one === 'string').join('\n\n')
  return { ...typeOf(type), format: type, ...(words !== '' && { description: words }) }
}

function typeOf(type: string): object {
  if (type.endsWith('[]')) return { type: 'array', items: typeOf(type.slice(0, -2)) }
  if (/^(?:smallint|integer|bigint)$/.test(type)) return { type: 'integer' }
  if (/^(?:numeric|real|double precision)/.test(type)) return { type: 'number' }
  if (type === 'boolean') return { type: 'boolean' }
  return /^jsonb?$/.test(type) ? {} : { type: 'string' }
}
