/** Tables and functions of a cloud's database in the language of PostgREST (docs/decisions/cloud/database-requests.md). */

export type { Answers } from './batch.ts'
export {
  type Arguments,
  type CallPlan,
  callPlan,
  chooseRoutine,
  routineOfWhole,
  routinesOf,
} from './call-sql.ts'
export type { Catalogue, Column, Routine, Table } from './catalogue.ts'
export { databaseRefusal } from './database-refusal.ts'
export { tablesLimits } from './limits.ts'
export { onTables, type TablesStatements } from './on-tables.ts'
export { parseQuery } from './parse.ts'
export { arrayMembers } from './parse-condition.ts'
export { type ReadAnswer, type ReadOptions, type ReadPlan, readPlan } from './read-sql.ts'
export { type Refusal, RestRefused, refuse, shown, unreadable } from './refuse.ts'
export {
  type Condition as TablesCondition,
  type FieldName as TablesField,
  type Narrowing,
  type Order as TablesOrder,
  type Selected as TablesSelected,
  type TablesQuery,
  wayKey,
} from './request.ts'
export type { SessionOptions } from './session.ts'
export { readStated, type StatedAnswer, statedStatement } from './stated-answer.ts'
export {
  deletePlan,
  type GivenRows,
  insertPlan,
  updatePlan,
  type WriteAnswer,
  type WriteOptions,
  type WritePlan,
} from './write-sql.ts'
