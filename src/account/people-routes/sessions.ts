/** The sessions of a person: where they are signed in. */
import { auditRequest } from '#account/audit'
import { deviceName } from '#account/letters'
import { endSession, endSessions, sessionsOf } from '#account/people'
import { fail } from '#platform/errors'
import { endedSessionCookie, requirePerson } from '#platform/http'
import { bareList } from '#platform/lists'
import type { PeopleContext } from './app.ts'

export async function listSessions(context: PeopleContext) {
  const { app } = context
  const { personId, sessionId } = requirePerson(context)
  const rows = await sessionsOf(app.db, personId, new Date(app.clock.nowMs()))
  return bareList.answer(rows, (row) => ({
    id: row.sessionId,
    device: (row.userAgent && deviceName(row.userAgent)) || null,
    method: row.method,
    opened_from: row.openedFrom,
    is_current: row.sessionId === sessionId,
    created_at: row.createdAt.toISOString(),
    last_used_at: row.lastUsedAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
  }))
}

/** Ends one session; what it has open ends within a second. */
export async function endOneSession(context: PeopleContext<unknown, unknown, { id: string }>) {
  const { app } = context
  const { personId, sessionId } = requirePerson(context)
  const id = context.params.id.toLowerCase()
  await app.db.tx(async (tx) => {
    if (!(await endSession(tx, personId, id, new Date(app.clock.nowMs()))))
      fail('NOT_FOUND', {}, { param: 'id' })
    const target = { kind: 'session', id }
    await auditRequest(tx, context, {
      accountId: null,
      projectId: null,
      target,
      before: undefined,
      after: undefined,
    })
  })
  if (id === sessionId) endedSessionCookie(context)
  return { id, ended: true }
}

/** Ends every session but this one. */
export async function endOtherSessions(context: PeopleContext) {
  const { app } = context
  const { personId, sessionId } = requirePerson(context)
  const ended = await app.db.tx(async (tx) => {
    const count = await endSessions(tx, personId, { except: sessionId }, new Date(app.clock.nowMs()))
    const target = { kind: 'person', id: personId }
    await auditRequest(tx, context, {
      accountId: null,
      projectId: null,
      target,
      before: undefined,
      after: { ended: count },
    })
    return count
  })
  return { ended }
}
