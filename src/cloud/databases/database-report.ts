/**
 * What the database of a cloud says against a statement. Its words are those of the app's developer, who may write as much as they like; every
 * part of the service reads them here.
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

/** Cut, in whole characters. */
export const cutText = (text: string): string =>
  text.length > maxTextLength ? `${text.slice(0, maxTextLength).toWellFormed()}…` : text

/**
 * Undefined where it has refused nothing: it cannot be reached, has ended the connection, or the failure is one of this service. Its codes do not
 * tell: code of the app can raise each of them.
 */
export function databaseReport(error: unknown): DatabaseReport | undefined {
  if (!(error instanceof Error) || !('severity' in error) || error.severity !== 'ERROR') return undefined
  const { code = 'XX000', message, detail, hint, where, constraint, table } = error as Reported
  const parts = Object.entries({ message, detail, hint, where, constraint, table })
  const texts = parts.flatMap(([name, text]) => (text === undefined ? [] : [[name, cutText(text)]]))
  return { sqlState: code, ...(Object.fromEntries(texts) as { message: string }) }
}

/** As the driver reads it. */
interface Reported extends Error {
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

/** Canceled: its time was over. */
export const canceled = '57014'

/** DATABASE_NO_ROOM where the disk below it is full: somebody else has filled it, and this statement is in order. */
export const noRoomFailure = ({ sqlState }: DatabaseReport, cause: unknown): Failure | undefined =>
  sqlState === '53100' ? new Failure('DATABASE_NO_ROOM', {}, { retryAfterMs: 10_000, cause }) : undefined
