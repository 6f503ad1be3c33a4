import { auditRequest } from '#account/audit'
import { cancelFactorReset, requestFactorReset } from '#account/factors'
import { membership, personById } from '#account/people'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { HttpAnswer, type RequestContext, requirePerson } from '#platform/http'
import type { FactorRoutesApp } from './app.ts'
import { resetObject } from './overview.ts'

type ResetContext = RequestContext<FactorRoutesApp, unknown, unknown, { person_id: string }>

/** A member of the account of the request. Throws INSUFFICIENT_ROLE for whoever is no owner, and NOT_FOUND for people who are no members. */
async function requireMember(tx: Tx, { caller, params }: ResetContext) {
  if (caller.person?.role !== 'owner') fail('INSUFFICIENT_ROLE', { right: 'owner' })
  const isMember = await membership(tx, caller.accountId, params.person_id)
  return (isMember && (await personById(tx, params.person_id))) || fail('NOT_FOUND', {})
}

export async function requestReset(context: ResetContext) {
  const { app } = context
  const { personId: requestedBy } = requirePerson(context)
  const now = new Date(app.clock.nowMs())
  return app.db.tx(async (tx) => {
    const person = await requireMember(tx, context)
    const reset = await requestFactorReset(app, tx, person, requestedBy, now)
    const after = resetObject(reset)
    await auditRequest(tx, context, { target: { kind: 'person', id: person.personId }, after })
    return new HttpAnswer(reset.isNew ? 201 : 200, after)
  })
}

export async function cancelReset(context: ResetContext) {
  const { app } = context
  await app.db.tx(async (tx) => {
    const { personId } = await requireMember(tx, context)
    if (!(await cancelFactorReset(tx, personId, new Date(app.clock.nowMs())))) fail('NOT_FOUND', {})
    await auditRequest(tx, context, { target: { kind: 'person', id: personId } })
  })
  return { id: context.params.person_id, deleted: true }
}
