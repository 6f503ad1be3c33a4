import type { Answers, SessionOptions, TablesQuery, TablesStatements } from '#cloud/tables'
import type { AppCall } from '../area.ts'
import type { Preferences, Shape } from '../rest/preferences.ts'

/** A request of rows, its headers read. */
export interface TablesRequest {
  call: AppCall
  schema: string
  /** Of the table or the function. */
  name: string
  preferences: Preferences
  shape: Shape
  /** In the database of the cloud, as whoever asks. Rejects as `onTables` does. */
  run(make: TablesStatements, options: Omit<SessionOptions, 'schemaVersion'>): Promise<Answers>
}

/** One whose query is that of a table. */
export interface TableRequest extends TablesRequest {
  query: TablesQuery
}
