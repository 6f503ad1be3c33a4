import { auditedCaps } from '#account/audit'
import type { Tx } from '#platform/db'
import { type Caps, changeMeters, type MeterScope } from '#platform/ledger'
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
  const [changed] = await changeMeters(tx, accountId, [{ scope, scopeId, caps }], capNews(session))
  if (!changed) return false
  const isChanged = Object.values(caps).some((value) => value !== undefined)
  const row = {
    before: { ...others.before, ...(isChanged && auditedCaps(changed.before)) },
    after: { ...others.after, ...(isChanged && auditedCaps(changed.after)) },
  }
  if (Object.values(row.after).every((value) => value === undefined)) return true
  await auditCommand(tx, session, {
    ...{ accountId, projectId, operation, target: { kind: scope, id: scopeId } },
    ...row,
  })
  return true
}
