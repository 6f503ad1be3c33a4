/** Tables and functions of a cloud's database in the language of PostgREST (docs/decisions/0082). */

export { type Answers, StatementFailed } from './batch.ts'
export type { Catalogue, Column, Routine, Table } from './catalogue.ts'
export { onTables, type TablesStatements } from './on-tables.ts'
export { parseQuery } from './parse.ts'
export { type ReadAnswer, type ReadOptions, readPlan, type Statement } from './read-sql.ts'
export { refusals, refuse, type TablesRefusal, TablesRefused } from './refusals.ts'
export type { TablesQuery } from './request.ts'
export type { DatabaseCaller, SessionOptions } from './session.ts'
