import { actorOf, auditRequest } from '#account/audit'
import { holdMembership, personById } from '#account/people'
import { lockAccount } from '#platform/auth'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { endedSessionCookie, requirePerson } from '#platform/http'
import { beginAccountDeletion, undoAccountDeletion } from './account.ts'
import type { DeletionContext } from './app.ts'
import { beginPersonDeletion, undoPersonDeletion } from './person.ts'
import { reasons } from './phrases.ts'
import type { AccountDeletion, DeleteAccount, DeleteMe } from './schema.ts'
import * as store from './store.ts'

/** The own deletion, and the accounts that it touches. */
export async function readMyDeletion(context: DeletionContext) {
  const { db } = context.app
  const { personId } = requirePerson(context)
  const person = (await personById(db, personId)) ?? fail('NOT_SIGNED_IN', {})
  const accounts = await store.ownedAccounts(db, personId)
  return {
    object: 'my_deletion',
    deletion: person.deletion && shownDue(person.deletion),
    accounts: accounts.map((row) => ({
      id: row.account_id,
      name: row.name,
      state: row.state,
      is_last_owner: row.is_last_owner,
      other_members: row.other_members,
      balance_microcredits: String(row.balance),
    })),
  }
}

const shownDue = ({ requestedAt, dueAt }: { requestedAt: Date; dueAt: Date }) => ({
  requested_at: requestedAt.toISOString(),
  due_at: dueAt.toISOString(),
})

/** Begins the own deletion, and ends all sessions. */
export async function deleteMe(context: DeletionContext<DeleteMe>) {
  const { app, body } = context
  const { personId } = requirePerson(context)
  const now = new Date(app.clock.nowMs())
  const { dueAt } = await app.db.tx(async (tx) => {
    const person = (await personById(tx, personId)) ?? fail('NOT_SIGNED_IN', {})
    if (body.confirm.trim() !== person.displayName.trim())
      fail('INVALID_REQUEST', { why: reasons.otherPersonName }, { param: 'confirm' })
    const accountIds = (body.delete_accounts ?? []).map((id) => id.toLowerCase())
    return beginPersonDeletion(app, tx, { personId, accountIds }, actorOf(context), now)
  })
  endedSessionCookie(context)
  return { id: personId, deletion: shownDue({ requestedAt: now, dueAt }) }
}

export async function undoMyDeletion(context: DeletionContext) {
  const { app } = context
  const { personId } = requirePerson(context)
  const now = new Date(app.clock.nowMs())
  const { accountIds } = await app.db.tx((tx) => undoPersonDeletion(app, tx, personId, actorOf(context), now))
  return { id: personId, deletion: null, kept_accounts: accountIds }
}

export async function readAccountDeletion({ app, caller }: DeletionContext): Promise<AccountDeletion> {
  const { accountId } = caller
  const row = await store.findDeletion(app.db, accountId)
  const by = row?.requested_by == null ? undefined : await personById(app.db, row.requested_by)
  return {
    object: 'account_deletion',
    account_id: accountId,
    deletion: row
      ? {
          ...shownDue({ requestedAt: row.requested_at, dueAt: row.due_at }),
          requested_by: by ? { id: by.personId, name: by.displayName } : null,
        }
      : null,
  }
}

export async function deleteAccount(context: DeletionContext<DeleteAccount>): Promise<AccountDeletion> {
  const { app, body, caller } = context
  const { accountId } = caller
  const { personId } = requireOwner(context)
  const now = new Date(app.clock.nowMs())
  await app.db.tx(async (tx) => {
    const account = (await lockAccount(tx, accountId)) ?? fail('NOT_FOUND', {})
    await holdOwner(tx, context)
    if (body.confirm.trim() !== account.name.trim())
      fail('INVALID_REQUEST', { why: reasons.otherAccountName }, { param: 'confirm' })
    const { dueAt } = await beginAccountDeletion(app, tx, { accountId, personId }, now)
    await auditRequest(tx, context, {
      projectId: null,
      target: { kind: 'account', id: accountId },
      before: { state: account.state },
      after: { state: 'closing', due_at: dueAt.toISOString() },
    })
  })
  return readAccountDeletion(context)
}

/** Any owner may undo it, whoever has asked for it. */
export async function keepAccount(context: DeletionContext): Promise<AccountDeletion> {
  const { app, caller } = context
  const { accountId } = caller
  const { personId } = requireOwner(context)
  const now = new Date(app.clock.nowMs())
  await app.db.tx(async (tx) => {
    const { state } = await undoAccountDeletion(app, tx, { accountId, personId }, now)
    await holdOwner(tx, context)
    await auditRequest(tx, context, {
      projectId: null,
      target: { kind: 'account', id: accountId },
      before: { state: 'closing' },
      after: { state },
    })
  })
  return readAccountDeletion(context)
}

/** Throws INSUFFICIENT_ROLE (403) for whoever has ceased to be an owner while the request was on its way. */
async function holdOwner(tx: Tx, { caller }: DeletionContext): Promise<void> {
  const own = await holdMembership(tx, caller.accountId, caller.person!.personId)
  if (own?.role !== 'owner') fail('INSUFFICIENT_ROLE', { right: 'owner' })
}

/** Throws INSUFFICIENT_ROLE (403). */
function requireOwner(context: DeletionContext) {
  const person = requirePerson(context)
  return person.role === 'owner' ? person : fail('INSUFFICIENT_ROLE', { right: 'owner' })
}
