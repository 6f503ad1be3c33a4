/** The deletion of an account: asked for by an owner or an operator, and undone by any owner until it is due. */
import { queueLetter, type TypedLetter } from '#account/letters'
import { members, personById, provenAddresses, regretMs } from '#account/people'
import { lockAccount, setAccountState } from '#platform/auth'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { platformAccount } from '#platform/jobs'
import type { DeletionApp } from './app.ts'
import { followJob } from './follow.ts'
import * as store from './store.ts'
import './phrases.ts'

export interface AccountDeletion {
  accountId: string
  name: string
  requestedAt: Date
  dueAt: Date
}

/** What letters and jobs need, which the command line has too. */
export type DeletionServices = Pick<DeletionApp, 'config' | 'jobs' | 'secrets'>

/**
 * Begins the deletion of an account: from here on it is read-only, and all members are told. `personId` is the owner who asks, null the operator;
 * `isWithPerson`: the owner is deleted too, and who takes that back takes this back. Throws ACCOUNT_CLOSING if it was asked for before.
 */
export async function beginAccountDeletion(
  app: DeletionServices,
  tx: Tx,
  {
    accountId,
    personId,
    isWithPerson = false,
  }: { accountId: string; personId: string | null; isWithPerson?: boolean },
  now: Date,
): Promise<AccountDeletion> {
  const account = (await lockAccount(tx, accountId)) ?? fail('NOT_FOUND', {})
  const { state, name } = account
  if (state === 'closing' || state === 'closed') return fail('ACCOUNT_CLOSING', {})
  const dueAt = new Date(now.getTime() + regretMs)
  await store.insertDeletion(
    tx,
    {
      account_id: accountId,
      requested_by: personId,
      with_person: isWithPerson ? personId : null,
      former_state: state,
    },
    { now, dueAt },
  )
  await setAccountState(tx, accountId, 'closing')
  await follow(app, tx, accountId)
  const by = personId === null ? null : ((await personById(tx, personId))?.displayName ?? null)
  const data = { account: name, by, endsAt: dueAt, page: `${app.config.baseUrl}/account` }
  await notifyMembers(app, tx, accountId, { kind: 'account_closing', data }, now)
  return { accountId, name, requestedAt: now, dueAt }
}

/**
 * Undoes the deletion of an account, which is as it was before: its state, what strangers reach, and its members. Throws DELETION_NOT_PENDING (409) where
 * none waits, or it is due.
 */
export async function undoAccountDeletion(
  app: DeletionServices,
  tx: Tx,
  { accountId, personId }: { accountId: string; personId: string | null },
  now: Date,
): Promise<{ name: string; state: 'active' | 'suspended' }> {
  const account = await lockAccount(tx, accountId)
  const taken = account && (await store.takeBack(tx, accountId, now))
  if (!taken) return fail('DELETION_NOT_PENDING', {})
  await setAccountState(tx, accountId, taken.former_state)
  await follow(app, tx, accountId)
  const by = personId === null ? null : ((await personById(tx, personId))?.displayName ?? null)
  const data = { account: account.name, by, at: now }
  await notifyMembers(app, tx, accountId, { kind: 'account_kept', data }, now)
  return { name: account.name, state: taken.former_state }
}

/** What strangers reach follows the state of the account some moments later. */
const follow = ({ jobs }: DeletionServices, tx: Tx, accountId: string): Promise<void> =>
  jobs.enqueue(tx, followJob, { accountId: platformAccount, data: { accountId } })

/** Writes to every member, in the language of each. */
export async function notifyMembers(
  app: DeletionServices,
  tx: Tx,
  accountId: string,
  letter: TypedLetter,
  now: Date,
  of: { isLast: boolean } = { isLast: false },
): Promise<void> {
  for (const { personId } of await members(tx, accountId)) {
    const person = await personById(tx, personId)
    if (!person) continue
    const [to] = await provenAddresses(tx, personId)
    // The last letter must outlive the membership, not the person.
    if (to !== undefined)
      await queueLetter(
        app,
        tx,
        { ...letter, to, ...(!of.isLast && { personId }), locale: person.locale },
        now,
      )
  }
}
