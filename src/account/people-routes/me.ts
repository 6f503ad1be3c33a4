/** What people see and change of themselves. */
import { auditRequest } from '#account/audit'
import {
  changePerson,
  hasProven,
  membershipsPage,
  type Person,
  permissionsOf,
  personById,
} from '#account/people'
import { phoneOf } from '#account/phones'
import { fail } from '#platform/errors'
import { requirePerson } from '#platform/http'
import { plainList } from '#platform/lists'
import type { PeopleContext } from './app.ts'
import { reasons } from './phrases.ts'
import type { Me, MePatch, MyAccountQuery } from './schema.ts'
import { accountProjects } from './store.ts'

const stepUpMs = 10 * 60_000

export async function readMe(context: PeopleContext): Promise<Me> {
  const person = await personById(context.app.db, requirePerson(context).personId)
  return shownMe(context, person ?? fail('NOT_SIGNED_IN', {}))
}

async function shownMe(context: PeopleContext, person: Person): Promise<Me> {
  const { app } = context
  const { sessionId, steppedUpAtMs } = requirePerson(context)
  const untilMs = steppedUpAtMs + stepUpMs
  return {
    id: person.personId,
    display_name: person.displayName,
    email: person.email,
    email_proven: person.email !== null && (await hasProven(app.db, person.personId, person.email)),
    phone: await phoneOf(app.db, person.personId),
    locale: person.locale,
    time_zone: person.timeZone,
    is_operator: person.isOperator,
    has_password: person.hasPassword,
    created_at: person.createdAt.toISOString(),
    deletion: person.deletion && {
      requested_at: person.deletion.requestedAt.toISOString(),
      due_at: person.deletion.dueAt.toISOString(),
    },
    session: {
      id: sessionId,
      stepped_up_until: untilMs > app.clock.nowMs() ? new Date(untilMs).toISOString() : null,
    },
  }
}

export async function changeMe(context: PeopleContext<MePatch>): Promise<Me> {
  const { app, body } = context
  if (Object.keys(body).length === 0) fail('INVALID_REQUEST', { why: reasons.nothing })
  const timeZone = body.time_zone === undefined ? undefined : timeZoneOf(body.time_zone)
  const { personId } = requirePerson(context)
  const change = { displayName: body.display_name?.trim(), locale: body.locale, timeZone }
  const after = await app.db.tx(async (tx) => {
    const before = (await personById(tx, personId)) ?? fail('NOT_SIGNED_IN', {})
    await changePerson(tx, personId, change)
    const changed = (await personById(tx, personId))!
    await auditRequest(tx, context, {
      accountId: null,
      projectId: null,
      target: { kind: 'person', id: personId },
      before: settingsOf(before),
      after: { ...settingsOf(changed), ...(changed.displayName !== before.displayName && renamed) },
    })
    return changed
  })
  return shownMe(context, after)
}

const settingsOf = ({ locale, timeZone }: Person) => ({ locale, time_zone: timeZone })

/** The log keeps no names: a row cannot be changed when the person is deleted. */
const renamed = { display_name: 'changed' }

/** The name as the IANA database writes it. Throws INVALID_REQUEST (400). */
function timeZoneOf(name: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return fail('INVALID_REQUEST', { why: reasons.timeZone }, { param: 'time_zone' })
  }
}

/** A page of the accounts of which the person is a member, with the rights there and the projects that may be used. */
export async function listMyAccounts({ app, query, ...context }: PeopleContext<unknown, MyAccountQuery>) {
  const page = await membershipsPage(app.db, requirePerson(context).personId, query)
  const projects = Map.groupBy(
    await accountProjects(
      app.db,
      page.rows.map(({ accountId }) => accountId),
    ),
    (project) => project.account_id,
  )
  return plainList.answer(page, ({ accountId, accountName, accountState, role, projectIds }) => ({
    id: accountId,
    name: accountName,
    state: accountState,
    role,
    rights: [...permissionsOf(role)],
    projects: (projects.get(accountId) ?? [])
      .filter((project) => projectIds?.includes(project.project_id) !== false)
      .map(({ project_id: id, name }) => ({ id, name })),
    is_limited: projectIds !== null,
  }))
}
