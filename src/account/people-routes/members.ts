/** Members of the account of the request. */
import { actorOf, audit, auditRequest } from '#account/audit'
import { areProjectsOf, type Grant, reaches } from '#account/invitations'
import { queueLetter } from '#account/letters'
import {
  findMember,
  listMembers,
  lockMembers,
  type Membership,
  membership,
  personById,
  removeMember,
  setMember,
} from '#account/people'
import { accountName } from '#platform/auth'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { requirePerson } from '#platform/http'
import type { PeopleContext } from './app.ts'
import { type CapOfMember, openCaps, setCapsOfMember, withCaps } from './member-caps.ts'
import { capOf, mayChangeMembers, ownMembership, sees, settingsOf, shownMember } from './member-view.ts'
import { reasons } from './phrases.ts'
import type { MemberPatch, MemberQuery, Member as ShownMember } from './schema.ts'
import * as store from './store.ts'

type MemberContext<Body = unknown> = PeopleContext<Body, unknown, { person_id: string }>

/** A page of the members whom the person of the session sees. */
export async function membersPage(context: PeopleContext<unknown, MemberQuery>) {
  const { app, query } = context
  const now = new Date(app.clock.nowMs())
  const own = await ownMembership(app.db, context)
  const { accountId, projectIds } = own
  const filter = { accountId, projectIds, q: query.q, findsAddresses: mayChangeMembers(own) }
  const { rows, hasMore } = await listMembers(app.db, filter, query)
  const personIds = rows.map(({ personId }) => personId)
  const [spending, factors] = await Promise.all([
    store.spendingOfMembers(app.db, accountId, personIds, now),
    store.secondFactors(app.db, personIds),
  ])
  const spendingOf = Map.groupBy(spending, (one) => one.person_id)
  const data = rows.map((row) =>
    shownMember(row, own, { spending: spendingOf.get(row.personId) ?? [], factors }),
  )
  return { data, has_more: hasMore, last_id: data.at(-1)?.person_id ?? null }
}

/** One member whom the person of the session sees. */
export async function readMember(context: MemberContext): Promise<ShownMember> {
  const { app, params } = context
  const now = new Date(app.clock.nowMs())
  const own = await ownMembership(app.db, context)
  const member = await findMember(app.db, own.accountId, params.person_id)
  if (!member || !sees(own, member)) return fail('NOT_FOUND', {}, { param: 'person_id' })
  const [spending, factors] = await Promise.all([
    store.spendingOfMembers(app.db, own.accountId, [member.personId], now),
    store.secondFactors(app.db, [member.personId]),
  ])
  return shownMember(member, own, { spending, factors })
}

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
    const after = await newGrant(tx, member, body)
    if (!reaches(own, after)) fail('ROLE_TOO_HIGH', {})
    if (body.role !== undefined || body.project_ids !== undefined) {
      if (member.providerId !== null) fail('MEMBER_OF_PROVIDER', { provider: member.providerId })
      await setMember(tx, { accountId, personId: member.personId, ...after }, now)
    }
    const caps = await openCaps(tx, { ...member, ...after }, body.month_caps ?? [], now)
    return capAndAudit(tx, context, { own, before: member, caps }, now)
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
  if (!own || !mayChangeMembers(own)) return fail('INSUFFICIENT_ROLE', { right: 'members:write' })
  const member = await membership(tx, accountId, params.person_id)
  return { own, member: member && sees(own, member) ? member : fail('NOT_FOUND', {}, { param: 'person_id' }) }
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

/** Sets the caps and writes the row of the whole change. A cap that is being set stops the payments of the account, so what is shown is read before. */
async function capAndAudit(
  tx: Tx,
  context: MemberContext,
  { own, before, caps }: { own: Membership; before: Membership; caps: readonly CapOfMember[] },
  now: Date,
): Promise<ShownMember> {
  const { accountId, personId } = before
  const after = (await findMember(tx, accountId, personId))!
  const spending = await store.spendingOfMembers(tx, accountId, [personId], now)
  const factors = await store.secondFactors(tx, [personId])
  const changed = await setCapsOfMember(tx, context, accountId, caps, now)
  const values = (grant: Grant, side: 'before' | 'after') => ({
    ...settingsOf(grant),
    ...(changed.length > 0 && {
      month_caps: changed.map((one) => ({
        project_id: one.projectId,
        month_cap_credits: capOf(one[side]),
      })),
    }),
  })
  await auditRequest(tx, context, {
    projectId: null,
    target: { kind: 'person', id: personId },
    before: values(before, 'before'),
    after: values(after, 'after'),
  })
  // Who has lowered themselves sees what they may see now.
  const seer = personId === own.personId ? after : own
  return shownMember(after, seer, { spending: withCaps(spending, caps), factors })
}

/** Removes a member; what they have open in the account ends within a second. Throws ROLE_TOO_HIGH (403) and LAST_OWNER (409). */
export async function removeOther(context: MemberContext) {
  const { app } = context
  const now = new Date(app.clock.nowMs())
  return app.db.tx(async (tx) => {
    const { own, member } = await lockBoth(tx, context)
    if (!reaches(own, member)) fail('ROLE_TOO_HIGH', {})
    await removeMember(tx, member.accountId, member.personId, now)
    const keys = await store.countKeysOf(tx, member, own.projectIds, now)
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
    await removeMember(tx, accountId, personId, now)
    const target = { kind: 'person', id: personId }
    await audit(
      tx,
      { ...actorOf(context), accountId, operation: 'me.leave', target, before: settingsOf(member) },
      now,
    )
  })
  return { account_id: accountId, left: true }
}

async function notifyRemoved(
  tx: Tx,
  { app }: Pick<PeopleContext, 'app'>,
  { accountId, personId }: Membership,
  now: Date,
): Promise<void> {
  const person = await personById(tx, personId)
  if (!person || person.email === null) return
  const data = { account: await accountName(tx, accountId) }
  const letter = {
    to: person.email,
    personId,
    kind: 'removed_from_account',
    locale: person.locale,
    data,
  } as const
  await queueLetter(app, tx, letter, now)
}
