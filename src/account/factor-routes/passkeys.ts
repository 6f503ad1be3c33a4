import { auditRequest } from '#account/audit'
import {
  addPasskey,
  challengeOf,
  creationOptions,
  endCeremony,
  requestOptions,
  usePasskey,
  verifyRegistration,
} from '#account/factors'
import { stepUp, stepUpAlone } from '#account/people'
import { fail } from '#platform/errors'
import { browserHashOf, HttpAnswer, type RequestContext, requirePerson } from '#platform/http'
import { answerOf, registrationOf } from './answer.ts'
import type { FactorRoutesApp } from './app.ts'
import { factorObject } from './overview.ts'
import { auditFactor, requireProvenOwner } from './owner.ts'
import { siteName } from './phrases.ts'
import type { NewPasskey, PasskeyAnswer } from './schema.ts'
import { challengeFor, passkeysOf, requireSite } from './site.ts'

export async function startPasskey(context: RequestContext<FactorRoutesApp>) {
  const site = requireSite(context)
  return context.app.db.tx(async (tx) => {
    const person = await requireProvenOwner(tx, context)
    const { personId, displayName, locale } = person
    const known = await passkeysOf(tx, personId)
    const challenge = await challengeFor(tx, context, 'passkey_registration', personId)
    const owner = { personId, displayName, userName: person.email ?? displayName }
    return creationOptions(site, owner, { challenge, known, siteName: siteName[locale] })
  })
}

export async function finishPasskey(context: RequestContext<FactorRoutesApp, NewPasskey>) {
  const { app, body } = context
  const { personId, sessionId } = requirePerson(context)
  const site = requireSite(context)
  const now = new Date(app.clock.nowMs())
  const challenge = challengeOf(body.response.response.clientDataJSON)
  const ceremony = {
    purpose: 'passkey_registration' as const,
    ...{ browserHash: browserHashOf(context), personId },
  }
  if (challenge === undefined || !(await endCeremony(app.db, challenge, ceremony, now)))
    return fail('FACTOR_INVALID', {})
  const passkey = await verifyRegistration(app.log, { site, challenge }, registrationOf(body))
  if (!passkey) return fail('FACTOR_INVALID', {})
  const added = await app.db.tx(async (tx) => {
    const made = await addPasskey(
      app,
      tx,
      await requireProvenOwner(tx, context),
      { name: body.name, passkey },
      now,
    )
    await stepUpAlone(tx, personId, sessionId, now)
    await auditFactor(tx, context, made.factor.factor_id, { after: made.factor })
    return made
  })
  const { factor, recoveryCodes } = added
  return new HttpAnswer(201, { factor: factorObject(factor), recovery_codes: recoveryCodes ?? null })
}

export async function startStepUp(context: RequestContext<FactorRoutesApp>) {
  const site = requireSite(context)
  const { personId } = requirePerson(context)
  return context.app.db.tx(async (tx) => {
    const known = await passkeysOf(tx, personId)
    if (known.length === 0) fail('NO_SECOND_FACTOR', {})
    return requestOptions(site, {
      challenge: await challengeFor(tx, context, 'passkey_step_up', personId),
      known,
    })
  })
}

export async function finishStepUp(context: RequestContext<FactorRoutesApp, PasskeyAnswer>) {
  const { app, body } = context
  const { personId, sessionId } = requirePerson(context)
  const ceremony = {
    purpose: 'passkey_step_up' as const,
    ...{ browserHash: browserHashOf(context), personId },
  }
  const answer = { site: requireSite(context), ceremony, response: answerOf(body) }
  const now = new Date(app.clock.nowMs())
  await usePasskey(app, answer, async (tx) => {
    await stepUp(tx, sessionId, now)
    const target = { kind: 'session', id: sessionId }
    await auditRequest(tx, context, {
      accountId: null,
      projectId: null,
      target,
      after: { factor: 'passkey' },
    })
  })
  return { stepped_up_at: now.toISOString() }
}
