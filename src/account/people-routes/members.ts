/** Members of the account of the request. */
import { actorOf, audit, auditRequest } from '#account/audit'
import { areProjectsOf, type Grant, reaches } from '#account/invitations'
import { queueLetter } from '#account/letters'
import {
  lockMembers,
  type Member,
  type Membership,
  members,
  membership,
  openSessionKey,
  permissionsOf,
  personById,
  removeMember,
  setMember,
} from '#account/people'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { requirePerson } from '#platform/http'
import { creditsDown, creditsUp, microcreditsPerCredit, setCaps } from '#platform/ledger'
import { bareList } from '#platform/lists'
import type { PeopleContext } from './app.ts'
import { reasons } from './phrases.ts'
import type { MemberPatch, Member as ShownMember } from './schema.ts'
import * as store from './store.ts'

type MemberContext<Body = unknown> = PeopleContext<Body, unknown, { person_id: string }>

export async function listMembers(context: PeopleContext) {
  const { app, caller } = context
  const now = new Date(app.clock.nowMs())
  const [rows, spending, secured] = await Promise.all([
    members(app.db, caller.accountId),
    store.spendingOfMembers(app.db, caller.accountId, now),
    store.withSecondFactor(app.db, caller.accountId),
  ])
  return bareList.answer(rows, (row) => shownMember(row, spending, secured, requirePerson(context).personId))
}

function shownMember(
  row: Member,
  spending: readonly store.MemberSpending[],
  secured: ReadonlySet<string>,
  ownId: string,
): ShownMember {
  const { personId } = row
  return {
    person_id: personId,
    display_name: row.displayName,
    email: row.email,
    ...settingsOf(row),
    provider_id: row.providerId,
    has_second_factor: secured.has(personId),
    spending: spending.filter(({ person_id: id }) => id === personId).map(shownSpending),
    is_you: personId === ownId,
    joined_at: row.joinedAt.toISOString(),
  }
}

const settingsOf = ({ role, projectIds }: Grant) => ({ role, project_ids: projectIds })

const shownSpending = ({ project_id, month_cap, month_spent }: store.MemberSpending) => ({
  project_id,
  month_cap_credits: creditsOf(month_cap),
  month_spent_credits: creditsUp(month_spent),
})

/**
 * Changes role, projects and caps of a member. A lower role or fewer projects end what the member may no longer have open within a second. Throws
 * ROLE_TOO_HIGH (403), MEMBER_OF_PROVIDER and LAST_OWNER (409).
 */
export async function changeMember(context: MemberContext<MemberPatch>): Promise<ShownMember> {
  const { app, body, caller } = context
  if (Object.keys(body).length === 0) fail('INVALID_REQUEST', { why: reasons.nothing })
  const { accountId } = caller
  const now = new Date(app.clock.nowMs())
  return app.db.tx(async (tx) => {
    const { own, member } = await lockBoth(tx, context)
    if (!reaches(own, member)) fail('ROLE_TOO_HIGH', {})
    const capsBefore = await store.spendingOfMembers(tx, accountId, now, member.personId)
    const after = await newGrant(tx, member, body)
    if (!reaches(own, after)) fail('ROLE_TOO_HIGH', {})
    if (body.role !== undefined || body.project_ids !== undefined) {
      if (member.providerId !== null) fail('MEMBER_OF_PROVIDER', { provider: member.providerId })
      await setMember(tx, { accountId, personId: member.personId, ...after }, now)
    }
    if (body.month_caps) await setMonthCaps(tx, context, { ...member, ...after }, body.month_caps, now)
    return auditChange(tx, context, member, capsBefore, now)
  })
}

/** The member of the person who asks and the member of the path, both locked until the transaction ends. */
async function lockBoth(
  tx: Tx,
  { caller, params }: Pick<MemberContext, 'caller' | 'params'>,
): Promise<{ own: Membership; member: Membership }> {
  const { accountId } = caller
  await lockMembers(tx, accountId)
  const own = await membership(tx, accountId, requirePerson({ caller }).personId)
  // Who has lost the right while the request was on its way is refused as afterwards.
  if (!own || !permissionsOf(own.role).has('members:write'))
    return fail('INSUFFICIENT_ROLE', { right: 'members:write' })
  const member = await membership(tx, accountId, params.person_id)
  return { own, member: member ?? fail('NOT_FOUND', {}, { param: 'person_id' }) }
}

/** What the member has after the change. Throws INVALID_REQUEST (400) for projects that are none of the account, and for an owner of some projects. */
async function newGrant(tx: Tx, member: Membership, { role, project_ids }: MemberPatch): Promise<Grant> {
  const after: Grant = {
    role: role ?? member.role,
    projectIds:
      project_ids === undefined ? member.projectIds : (project_ids?.map((id) => id.toLowerCase()) ?? null),
  }
  if (after.role === 'owner') {
    if (project_ids) fail('INVALID_REQUEST', { why: reasons.ownerProjects }, { param: 'project_ids' })
    return { ...after, projectIds: null }
  }
  await requireProjects(tx, member.accountId, after.projectIds)
  return after
}

/** Throws INVALID_REQUEST (400) unless all are projects of the account. */
export async function requireProjects(
  tx: Tx,
  accountId: string,
  projectIds: readonly string[] | null,
): Promise<void> {
  if (projectIds !== null && !(await areProjectsOf(tx, accountId, projectIds)))
    fail('INVALID_REQUEST', { why: reasons.projects }, { param: 'project_ids' })
}

/**
 * Sets the caps of what a member spends in projects by sessions: those of the keys by which they pay, which are made if they have not paid yet. Setting a
 * cap stops the payments of the account until the transaction ends, so the keys come first.
 */
async function setMonthCaps(
  tx: Tx,
  { app, caller: { accountId } }: Pick<MemberContext, 'app' | 'caller'>,
  member: Membership,
  given: NonNullable<MemberPatch['month_caps']>,
  now: Date,
): Promise<void> {
  const caps = new Map(
    given.map(({ project_id, month_cap_credits: credits }) => [
      project_id.toLowerCase(),
      credits === null ? null : BigInt(credits) * microcreditsPerCredit,
    ]),
  )
  const projectIds = [...caps.keys()]
  const areTheirs =
    projectIds.every((projectId) => member.projectIds?.includes(projectId) !== false) &&
    (await areProjectsOf(tx, accountId, projectIds))
  if (!areTheirs) fail('INVALID_REQUEST', { why: reasons.capProject }, { param: 'month_caps' })
  const monthCaps: [string, bigint | null][] = []
  for (const [projectId, monthCap] of caps)
    monthCaps.push([await openSessionKey(tx, accountId, projectId, member.personId, now), monthCap])
  const { thresholdsPercent } = app.config.budgets
  for (const [keyId, monthCap] of monthCaps)
    await setCaps(tx, accountId, 'key', keyId, { monthCap }, { now, thresholdsPercent })
}

async function auditChange(
  tx: Tx,
  context: MemberContext,
  before: Membership,
  capsBefore: readonly store.MemberSpending[],
  now: Date,
): Promise<ShownMember> {
  const { accountId } = context.caller
  const after = (await members(tx, accountId)).find(({ personId }) => personId === before.personId)!
  const caps = await store.spendingOfMembers(tx, accountId, now, before.personId)
  const secured = await store.withSecondFactor(tx, accountId)
  const shown = shownMember(after, caps, secured, requirePerson(context).personId)
  const changed = caps.filter((cap) => capIn(capsBefore, cap.project_id) !== cap.month_cap)
  const values = (grant: Grant, spending: readonly store.MemberSpending[]) => ({
    ...settingsOf(grant),
    ...(changed.length > 0 && {
      month_caps: changed.map(({ project_id }) => ({
        project_id,
        month_cap_credits: creditsOf(capIn(spending, project_id)),
      })),
    }),
  })
  await auditRequest(tx, context, {
    projectId: null,
    target: { kind: 'person', id: before.personId },
    before: values(before, capsBefore),
    after: values(after, caps),
  })
  return shown
}

const capIn = (spending: readonly store.MemberSpending[], projectId: string): bigint | null =>
  spending.find(({ project_id: id }) => id === projectId)?.month_cap ?? null

const creditsOf = (cap: bigint | null): number | null => (cap === null ? null : creditsDown(cap))

/** Removes a member; what they have open in the account ends within a second. Throws ROLE_TOO_HIGH (403) and LAST_OWNER (409). */
export async function removeOther(context: MemberContext) {
  const { app } = context
  const now = new Date(app.clock.nowMs())
  return app.db.tx(async (tx) => {
    const { own, member } = await lockBoth(tx, context)
    if (!reaches(own, member)) fail('ROLE_TOO_HIGH', {})
    const keys = await endMembership(tx, member, now)
    await auditRequest(tx, context, {
      projectId: null,
      target: { kind: 'person', id: member.personId },
      before: settingsOf(member),
      after: { keys_left: keys },
    })
    if (member.personId !== own.personId) await notifyRemoved(tx, context, member, now)
    return { person_id: member.personId, removed: true, keys }
  })
}

/** Leaves an account. Throws LAST_OWNER (409). */
export async function leaveAccount(context: PeopleContext<unknown, unknown, { account_id: string }>) {
  const { app, params } = context
  const { personId } = requirePerson(context)
  const accountId = params.account_id.toLowerCase()
  const now = new Date(app.clock.nowMs())
  await app.db.tx(async (tx) => {
    await lockMembers(tx, accountId)
    const member =
      (await membership(tx, accountId, personId)) ?? fail('NOT_FOUND', {}, { param: 'account_id' })
    await endMembership(tx, member, now)
    const target = { kind: 'person', id: personId }
    await audit(
      tx,
      { ...actorOf(context), accountId, operation: 'me.leave', target, before: settingsOf(member) },
      now,
    )
  })
  return { account_id: accountId, left: true }
}

/** Ends a membership. Returns how many keys of theirs go on. */
async function endMembership(tx: Tx, { accountId, personId }: Membership, now: Date): Promise<number> {
  await removeMember(tx, accountId, personId, now)
  return store.countKeysOf(tx, accountId, personId, now)
}

async function notifyRemoved(
  tx: Tx,
  { app }: Pick<PeopleContext, 'app'>,
  { accountId, personId }: Membership,
  now: Date,
): Promise<void> {
  const person = await personById(tx, personId)
  if (!person || person.email === null) return
  const data = { account: await store.accountName(tx, accountId) }
  const letter = {
    to: person.email,
    personId,
    kind: 'removed_from_account',
    locale: person.locale,
    data,
  } as const
  await queueLetter(app, tx, letter, now)
}
