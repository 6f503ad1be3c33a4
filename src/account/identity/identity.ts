/** Manages accounts, projects and keys; used by the first start and by the CLI. */
import { type AuditEntry, audit } from '#account/audit'
import {
  type Account,
  createAccount,
  createKey,
  createProject,
  type Key,
  lockIfNoAccount,
  type Project,
  scopes,
} from '#platform/auth'
import type { Tx } from '#platform/db'
import { uuidv7 } from '#platform/ids'
import { grant, microcreditsPerCredit } from '#platform/ledger'
import type { IdentityApp } from './app.ts'

export { type GrantOutcome, grantCredits, maxMicrocredits } from './grant-credits.ts'
export {
  type AccountRow,
  accountRows,
  type KeyRow,
  keyRows,
  type ProjectRow,
  projectRows,
} from './rows.ts'

const firstCredits = 1_000_000n

export interface FirstStart {
  account: Account
  project: Project
  key: Key
  /** Shown once; undefined when the operator gave it (KHERAD_BOOTSTRAP_KEY). */
  shownSecret: string | undefined
}

/**
 * On an empty database, makes one account with 1,000,000 credits, one project and one key with every scope. Returns undefined when there is an
 * account already. If several processes start at once, one of them makes it.
 */
export async function createFirstAccount(
  app: IdentityApp,
  bootstrapKey: string | undefined,
): Promise<FirstStart | undefined> {
  const now = new Date(app.clock.nowMs())
  return app.db.tx(async (tx) => {
    return (await lockIfNoAccount(tx)) ? createAll(tx, bootstrapKey, now) : undefined
  })
}

async function createAll(tx: Tx, bootstrapKey: string | undefined, now: Date): Promise<FirstStart> {
  const account = await createAccount(tx, { name: 'حساب اصلی' }, now)
  const project = await createProject(tx, { accountId: account.account_id, name: 'پروژهٔ نخست' }, now)
  const { secret, ...key } = await createKey(
    tx,
    {
      accountId: account.account_id,
      projectId: project.project_id,
      name: 'کلید نخست',
      scopes,
      secret: bootstrapKey,
    },
    now,
  )
  await grant(
    tx,
    {
      accountId: account.account_id,
      transferId: uuidv7(),
      microcredits: firstCredits * microcreditsPerCredit,
      reason: 'first start',
    },
    now,
  )
  await auditFirst(tx, { account, project, key }, now)
  return { account, project, key, shownSecret: bootstrapKey === undefined ? secret : undefined }
}

/** Writes the rows of what the first start makes by itself. */
async function auditFirst(
  tx: Tx,
  { account, project, key }: Pick<FirstStart, 'account' | 'project' | 'key'>,
  now: Date,
): Promise<void> {
  const accountId = account.account_id
  const projectId = project.project_id
  const made: Omit<AuditEntry, 'accountId' | 'actor'>[] = [
    {
      operation: 'account.create',
      target: { kind: 'account', id: accountId },
      after: { name: account.name },
    },
    {
      ...{ projectId, operation: 'projects.create', target: { kind: 'project', id: projectId } },
      after: { name: project.name },
    },
    {
      ...{ projectId, operation: 'keys.create', target: { kind: 'key', id: key.key_id } },
      after: { name: key.name, scopes: key.scopes },
    },
    { operation: 'credits.grant', after: { microcredits: firstCredits * microcreditsPerCredit } },
  ]
  for (const one of made) await audit(tx, { accountId, actor: { kind: 'system', id: null }, ...one }, now)
}
