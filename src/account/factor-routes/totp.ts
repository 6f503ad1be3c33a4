import { beginTotp, confirmTotp, countFactorAttempt, qrCodeOf, uncountFactorAttempt } from '#account/factors'
import { stepUpAlone } from '#account/people'
import { fail } from '#platform/errors'
import { HttpAnswer, type RequestContext, requirePerson, visitorOf } from '#platform/http'
import type { FactorRoutesApp } from './app.ts'
import { factorObject } from './overview.ts'
import { auditFactor, requireProvenOwner } from './owner.ts'
import { siteName } from './phrases.ts'
import type { NewTotp, TotpCode } from './schema.ts'

export async function startTotp(context: RequestContext<FactorRoutesApp, NewTotp>) {
  const { app, body } = context
  const now = new Date(app.clock.nowMs())
  const begun = await app.db.tx(async (tx) => {
    const person = await requireProvenOwner(tx, context)
    const made = await beginTotp(app, tx, person, { name: body.name, issuer: siteName[person.locale] }, now)
    await auditFactor(tx, context, made.factorId, {})
    return made
  })
  const { factorId: id, secret, uri } = begun
  return new HttpAnswer(201, { id, secret, uri, qr: await qrCodeOf(uri) })
}

export async function finishTotp(
  context: RequestContext<FactorRoutesApp, TotpCode, unknown, { id: string }>,
) {
  const { app, body, params } = context
  const { clientAddress } = visitorOf(context, app.config.trustedProxies)
  const attempt = { personId: requirePerson(context).personId, clientAddress }
  await countFactorAttempt(app, attempt)
  const now = new Date(app.clock.nowMs())
  const done = await app.db.tx(async (tx) => {
    const person = await requireProvenOwner(tx, context)
    const added = await confirmTotp(app, tx, person, { factorId: params.id, code: body.code }, now)
    if (!added) return undefined
    await stepUpAlone(tx, person.personId, requirePerson(context).sessionId, now)
    await auditFactor(tx, context, params.id, { after: added.factor })
    return { factor: factorObject(added.factor), recovery_codes: added.recoveryCodes ?? null }
  })
  if (!done) return fail('WRONG_CODE', {}, { param: 'code' })
  await uncountFactorAttempt(app, attempt)
  return done
}
