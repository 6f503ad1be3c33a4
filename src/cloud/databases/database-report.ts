/**
 * The error that the database of a cloud reports for a statement. The app's developer writes its texts, as long as they like; every part of the
 * service reads them here.
 */
import { Failure } from '#platform/errors'
import './phrases.ts'

export interface DatabaseReport {
  sqlState: string
  message: string
  detail?: string
  hint?: string
  where?: string
  constraint?: string
  table?: string
}

const maxTextLength = 2_000

/** The text, cut to its maximum length in whole characters. */
export const cutText = (text: string): string =>
  text.length > maxTextLength ? `${text.slice(0, maxTextLength).toWellFormed()}…` : text

/**
 * The report of the database on an error. Undefined where the database refused nothing: it cannot be reached, has ended the connection, or the
 * failure is one of this service. Error codes cannot tell these apart, because code of the app can raise each of them.
 */
export function databaseReport(error: unknown): DatabaseReport | undefined {
  if (!(error instanceof Error) || !('severity' in error) || error.severity !== 'ERROR') return undefined
  const { code = 'XX000', message, detail, hint, where, constraint, table } = error as DriverError
  const parts = Object.entries({ message, detail, hint, where, constraint, table })
  const texts = parts.flatMap(([name, text]) => (text === undefined ? [] : [[name, cutText(text)]]))
  return { sqlState: code, ...(Object.fromEntries(texts) as { message: string }) }
}

/** An error as the driver reads it. */
interface DriverError extends Error {
  code?: string
  detail?: string
  hint?: string
  where?: string
  constraint?: string
  table?: string
}

/** A statement of a transaction in the database of a cloud was refused there. */
export class StatementFailed extends Error {
  override name = 'StatementFailed'
  readonly report: DatabaseReport
  override readonly cause: Error
  constructor(report: DatabaseReport, cause: Error) {
    super(report.message)
    this.report = report
    this.cause = cause
  }
}

/** StatementFailed, or the error itself where the database has refused nothing. */
export function statementError(error: Error): Error {
  const report = databaseReport(error)
  return report ? new StatementFailed(report, error) : error
}

/** The SQLSTATE of a statement that was cancelled because its time was over. */
export const queryCanceledState = '57014'

/** DATABASE_NO_ROOM where the disk under the database is full: something else has filled it, and this statement is valid. */
export const noRoomFailure = ({ sqlState }: DatabaseReport, cause: unknown): Failure | undefined =>
  sqlState === '53100' ? new Failure('DATABASE_NO_ROOM', {}, { retryAfterMs: 10_000, cause }) : undefined
