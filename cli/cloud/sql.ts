/** `kherad cloud sql|tables`: SQL on the database of a dedicated app back-end. */
import type { Language } from '#platform/errors'
import {
  type Command,
  type CommandResult,
  type ParsedArguments,
  refuse,
  refuseUsage,
  type Session,
} from '../command.ts'
import { type TableColumn, table } from '../output.ts'
import { readStream, utf8 } from '../read-bounded.ts'
import { connection } from '../server/phrases.ts'
import { idempotentBody, requestRecord } from '../server/records.ts'
import { plain } from '../server.ts'
import { namedCloud, pathOf } from './api.ts'
import { runMigrations } from './migrations.ts'
import { cloudOptions } from './phrases.ts'
import { sqlOptions, sqlPhrases as words } from './sql-phrases.ts'

export interface SqlResult {
  columns: { name: string; type: string }[]
  rows: unknown[][]
  row_count: number | null
  command: string | null
  truncated: boolean
}

interface DatabaseTable {
  schema: string
  name: string
  kind: string
  row_security: boolean
  row_estimate: number | null
  bytes: number
  policies: unknown[]
}

const common = { needs: [], help: { ...cloudOptions, ...sqlOptions } }

export const sqlCommands: Command[] = [
  {
    ...common,
    name: 'cloud sql',
    about: words.sql,
    takes: ['CLOUD'],
    mayTake: ['QUERY'],
    options: ['file', ...connection],
    repeatable: ['file'],
    flags: ['write'],
    run: sql,
  },
  {
    ...common,
    name: 'cloud tables',
    about: words.tables,
    takes: ['CLOUD'],
    options: connection,
    run: tables,
  },
]

/** The size of 40,000 characters of any kind. */
const maxQueryBytes = 4 * 40_000

async function sql(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { file: files = [] } = given.lists
  const typed = given.words[1]
  if (files.length > 0) {
    if (typed !== undefined) refuseUsage(words.queryOrFile())
    return runMigrations(session, given, files)
  }
  const query = typed ?? (await readQuery(session))
  const { server, cloud } = await namedCloud(session, given)
  const sent = given.flags.includes('write')
    ? idempotentBody({ query, read_only: false, confirm_write: true })
    : { body: { query } }
  const result = await requestRecord<SqlResult>(server, 'POST', pathOf(cloud, '/database'), sent)
  return { json: result, text: resultText(session, result) }
}

async function readQuery(session: Session): Promise<string> {
  if (process.stdin.isTTY) session.notify(words.typeQuery[session.language])
  const bytes = await readStream(process.stdin, maxQueryBytes, words.queryTooLong())
  return utf8(bytes) ?? refuse('NOT_TEXT', words.notText('-'))
}

/** A table where there are columns, else PostgreSQL's own words for what it did. */
function resultText({ language, notify }: Session, { columns, rows, ...result }: SqlResult): string {
  if (result.truncated) notify(words.truncated[language])
  if (columns.length === 0) return `${plain([result.command, result.row_count].filter(isThere).join(' '))}\n`
  notify(words.rows(result.row_count ?? rows.length)[language])
  return table(rows, columns.map(columnOf), language)
}

const isThere = (part: unknown): boolean => part !== null && part !== undefined
const numeric = /^(?:smallint|integer|bigint|numeric|real|double precision|oid)\b[^[]*$/

const columnOf = ({ name, type }: SqlResult['columns'][number], at: number): TableColumn<unknown[]> => ({
  title: { fa: plain(name), en: plain(name) },
  show: (row) => showValue(row[at]),
  ...(numeric.test(type) && { numeric: true }),
})

const showValue = (value: unknown): string => {
  if (value === null) return '—'
  return plain(typeof value === 'string' ? value : JSON.stringify(value))
}

const tableColumns = (language: Language): TableColumn<DatabaseTable>[] => [
  {
    title: words.columns.name,
    show: ({ schema, name }) => plain(schema === 'public' ? name : `${schema}.${name}`),
  },
  { title: words.columns.kind, show: ({ kind }) => words.kinds[kind]?.[language] ?? plain(kind) },
  {
    title: words.columns.security,
    show: (one) => {
      // Apps reach only the schema `public`.
      if (one.schema !== 'public' || !one.kind.endsWith('table') || one.kind === 'foreign_table') return '—'
      return (one.row_security ? words.policies(one.policies.length) : words.unguarded)[language]
    },
  },
  {
    title: words.columns.rows,
    show: ({ row_estimate: rows }) => (rows === null ? '—' : words.count(rows)[language]),
    numeric: true,
  },
  { title: words.columns.bytes, show: ({ bytes }) => words.count(bytes)[language], numeric: true },
]

async function tables(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { language } = session
  const { server, cloud } = await namedCloud(session, given)
  const found = await requestRecord<{ tables?: DatabaseTable[]; truncated: boolean }>(
    server,
    'GET',
    pathOf(cloud, '/database'),
  )
  if (!found.tables) return refuse('PLAN_MISMATCH', words.notDedicated())
  if (found.truncated) session.notify(words.moreTables[language])
  return { json: found, text: table(found.tables, tableColumns(language), language) }
}
