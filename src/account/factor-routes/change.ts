import { auditRequest } from '#account/audit'
import { confirmedFactors, removeFactor, renameFactor, renewRecoveryCodes } from '#account/factors'
import { requireWayIn } from '#account/openid'
import { fail } from '#platform/errors'
import { HttpAnswer, type RequestContext, requirePerson } from '#platform/http'
import type { FactorRoutesApp } from './app.ts'
import { factorObject } from './overview.ts'
import { auditFactor, requireOwner } from './owner.ts'
import type { FactorPatch } from './schema.ts'

interface IdParams {
  id: string
}

export async function changeFactor(context: RequestContext<FactorRoutesApp, FactorPatch, unknown, IdParams>) {
  const { app, body, params } = context
  const { personId } = requirePerson(context)
  return app.db.tx(async (tx) => {
    const before = (await confirmedFactors(tx, personId)).find(({ factor_id: id }) => id === params.id)
    if (!before || !(await renameFactor(tx, personId, params.id, body.name))) fail('NOT_FOUND', {})
    const after = { ...before, name: body.name }
    await auditFactor(tx, context, params.id, { before, after })
    return factorObject(after)
  })
}

/** Throws NOT_FOUND, and LAST_WAY_IN for the passkey without which the person could not sign in any more. */
export async function deleteFactor(context: RequestContext<FactorRoutesApp, unknown, unknown, IdParams>) {
  const { app, params } = context
  const { personId } = requirePerson(context)
  const now = new Date(app.clock.nowMs())
  await app.db.tx(async (tx) => {
    const before = await removeFactor(app, tx, await requireOwner(tx, context), params.id, now)
    // An app alone signs nobody in, so that removing it takes no way in away.
    if (before.kind === 'passkey') await requireWayIn(app, tx, personId)
    await auditFactor(tx, context, params.id, { before })
  })
  return { id: params.id, deleted: true }
}

export async function makeRecoveryCodes(context: RequestContext<FactorRoutesApp>) {
  const { app } = context
  const { personId } = requirePerson(context)
  const now = new Date(app.clock.nowMs())
  const codes = await app.db.tx(async (tx) => {
    const made = await renewRecoveryCodes(app, tx, await requireOwner(tx, context), now)
    const target = { kind: 'person', id: personId }
    await auditRequest(tx, context, {
      accountId: null,
      projectId: null,
      target,
      after: { count: made.length },
    })
    return made
  })
  return new HttpAnswer(201, { recovery_codes: codes })
}
