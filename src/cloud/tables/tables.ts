/** Tables and functions of a cloud's database in the language of PostgREST (docs/decisions/cloud/database-requests.md). */

export type { BatchAnswers } from './batch.ts'
export {
  type CallPlan,
  callPlan,
  chooseRoutine,
  type RoutineArguments,
  routineForWholeBody,
  routinesOf,
} from './call-sql.ts'
export type { Catalogue, Column, DatabaseTable, Routine } from './catalogue.ts'
export { databaseRefusal } from './database-refusal.ts'
export { tablesLimits } from './limits.ts'
export { onTables, type TablesStatements } from './on-tables.ts'
export { parseQuery } from './parse.ts'
export { arrayMembers } from './parse-condition.ts'
export { type ReadAnswer, type ReadOptions, type ReadPlan, readPlan } from './read-sql.ts'
export {
  excerptOf,
  type NamedTable,
  NameNotFound,
  parseRefusal,
  type Refusal,
  RestRefused,
  refuse,
} from './refuse.ts'
export {
  type Condition as TablesCondition,
  embedPathKey,
  type FieldName as TablesField,
  type Order as TablesOrder,
  type SelectedItem,
  type TableFilter,
  type TablesQuery,
} from './request.ts'
export type { SessionOptions } from './session.ts'
export { similarNames } from './similar-names.ts'
export { type ResponseSettings, readResponseSettings, responseSettingsStatement } from './stated-answer.ts'
export { hasTimeZone } from './time-zones.ts'
export { readInserted } from './upsert-sql.ts'
export {
  deletePlan,
  type GivenRows,
  insertPlan,
  putPlan,
  updatePlan,
  type WriteAnswer,
  type WriteOptions,
  type WritePlan,
} from './write-sql.ts'
