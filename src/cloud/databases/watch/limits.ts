/** How long transactions may take, by who has them. Requests have shorter limits of their own; this holds whatever escapes them. */
import type { WatchedSession } from './sessions.ts'

/** Of exports of one database at a time there is one, by this advisory lock. */
export const exportLock = 7_210_418_011n
/** Of an export, however slowly it is read; it waits for whoever reads it, so it may be idle for as long. */
export const maxExportMs = 60 * 60 * 1000

const maxTransactionMs: Readonly<Record<string, number>> = {
  authenticator: 30_000,
  auth_admin: 30_000,
  storage_admin: 30_000,
  app_reader: 600_000,
  postgres: 600_000,
  // It looks at a sample of rows, by functions of the app where an index has them; vacuuming a large table takes long, and runs none.
  autoanalyze: 60_000,
  autovacuum: 3_600_000,
}
const maxIdleMs = 15_000
/** Beyond its limit a transaction is cancelled, and its session ended so much later. */
const afterCancelMs = 2_000

type Timed = Omit<WatchedSession, 'pid' | 'writes' | 'makesRoom'>

/** What becomes of a session: its statement is cancelled, or the session is ended. */
export function verdictOn(session: Timed): 'goes on' | 'cancelled' | 'ended' {
  const [maxMs, idleMs] = limitsOf(session)
  const overMs = session.transactionMs - maxMs
  if (overMs > afterCancelMs || (session.isIdle && session.idleMs > idleMs)) return 'ended'
  return overMs > 0 ? 'cancelled' : 'goes on'
}

function limitsOf({ role, isExport }: Timed): [maxMs: number, idleMs: number] {
  // On a server of many databases the roles of each have its name before theirs.
  const own = role.replace(/^kherad_[a-z0-9]{20}(?:_|$)/, '') || 'postgres'
  if (isExport && own === 'app_reader') return [maxExportMs, maxExportMs]
  return [maxTransactionMs[own] ?? maxTransactionMs['authenticator']!, maxIdleMs]
}
