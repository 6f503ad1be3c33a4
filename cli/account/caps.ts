import { auditedCaps } from '#account/audit'
import type { Tx } from '#platform/db'
import { type Caps, lockCaps, type MeterScope, setCaps } from '#platform/ledger'
import { auditCommand } from '../audit.ts'
import type { Session } from '../command.ts'
import { capNews } from './cap-news.ts'

interface CapChange {
  accountId: string
  scope: MeterScope
  /** The project or the key; absent for the account itself. */
  scopeId?: string
  projectId?: string
  /** What the audit log calls the change. */
  operation: string
  caps: Caps
  /** Further settings that the same command changes, for the same row. */
  before?: object
  after?: object
}

/** Sets caps and limits, and writes the row of the change unless it names nothing. Returns false if there is no such meter. */
export async function changeCaps(tx: Tx, session: Session, change: CapChange): Promise<boolean> {
  const { accountId, projectId, scope, scopeId = accountId, operation, caps, ...others } = change
  const before = await lockCaps(tx, accountId, scope, scopeId)
  if (!before || !(await setCaps(tx, accountId, scope, scopeId, caps, capNews(session)))) return false
  const after = Object.values(caps).some((value) => value !== undefined) ? { ...before, ...given(caps) } : {}
  const row = {
    before: { ...others.before, ...(Object.keys(after).length > 0 && auditedCaps(before)) },
    after: { ...others.after, ...auditedCaps(after) },
  }
  if (Object.values(row.after).every((value) => value === undefined)) return true
  await auditCommand(tx, session, {
    ...{ accountId, projectId, operation, target: { kind: scope, id: scopeId } },
    ...row,
  })
  return true
}

const given = (caps: Caps): Caps =>
  Object.fromEntries(Object.entries(caps).filter(([, value]) => value !== undefined))
