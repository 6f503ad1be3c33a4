import type { BatchAnswers, SessionOptions, TablesQuery, TablesStatements } from '#cloud/tables'
import type { AppCall } from '../area.ts'
import type { Preferences, ResponseShape } from '../rest/preferences.ts'

/** A request for rows with parsed headers. */
export interface TablesRequest {
  call: AppCall
  schema: string
  /** The name of the table or the function. */
  name: string
  preferences: Preferences
  shape: ResponseShape
  /** Runs statements in the database of the cloud, as the caller. Rejects as `onTables` does. */
  run(make: TablesStatements, options: Omit<SessionOptions, 'schemaVersion'>): Promise<BatchAnswers>
}

/** A request with the query of a table. */
export interface TableRequest extends TablesRequest {
  query: TablesQuery
}
