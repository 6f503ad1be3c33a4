/** How long transactions may take, by their role. Requests have shorter limits of their own; these limits hold for whatever escapes those. */
import type { WatchedSession } from './sessions.ts'

/** The advisory lock by which only one export of a database runs at a time. */
export const exportLock = 7_210_418_011n
/** The longest export, however slowly it is read. An export waits for its reader, so it may be idle for as long. */
export const maxExportMs = 60 * 60 * 1000

const maxTransactionMs: Readonly<Record<string, number>> = {
  authenticator: 30_000,
  auth_admin: 30_000,
  storage_admin: 30_000,
  app_reader: 600_000,
  postgres: 600_000,
  // Analyzing looks at a sample of rows, by functions of the app where an index has them; vacuuming a large table takes long, and runs none.
  autoanalyze: 60_000,
  autovacuum: 3_600_000,
}
const maxIdleMs = 15_000
/** A transaction beyond its limit is cancelled, and its session is ended this much later. */
const afterCancelMs = 2_000

type SessionTimes = Omit<WatchedSession, 'pid' | 'writes' | 'makesRoom'>

/** What becomes of a session: its statement is cancelled, or the session is ended. */
export function sessionVerdict(session: SessionTimes): 'goes on' | 'cancelled' | 'ended' {
  const [maxMs, idleMs] = limitsOf(session)
  const overMs = session.transactionMs - maxMs
  if (overMs > afterCancelMs || (session.isIdle && session.idleMs > idleMs)) return 'ended'
  return overMs > 0 ? 'cancelled' : 'goes on'
}

function limitsOf({ role, isExport }: SessionTimes): [maxMs: number, idleMs: number] {
  // On a server of many databases, the name of a role begins with that of its database.
  const own = role.replace(/^kherad_[a-z0-9]{20}(?:_|$)/, '') || 'postgres'
  if (isExport && own === 'app_reader') return [maxExportMs, maxExportMs]
  return [maxTransactionMs[own] ?? maxTransactionMs['authenticator']!, maxIdleMs]
}
