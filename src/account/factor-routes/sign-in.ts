import { answerEntrance, browserOf, finishFirstFactor } from '#account/entering'
import { beginCeremony, countChallenge, requestOptions, usePasskey } from '#account/factors'
import { personById } from '#account/people'
import { fail } from '#platform/errors'
import type { RequestContext } from '#platform/http'
import { answerOf } from './answer.ts'
import type { FactorRoutesApp } from './app.ts'
import type { PasskeyAnswer } from './schema.ts'
import { requireSite } from './site.ts'

/** What is the same for everybody: the browser offers the passkeys that it has, and the server names none. */
export async function startSignIn(context: RequestContext<FactorRoutesApp>) {
  const { app } = context
  const site = requireSite(context)
  const { hash: browserHash, address } = browserOf(context)
  await countChallenge(app, address)
  const ceremony = { purpose: 'passkey_sign_in' as const, browserHash, personId: null }
  const now = new Date(app.clock.nowMs())
  const challenge = await app.db.tx((tx) => beginCeremony(tx, ceremony, now))
  return requestOptions(site, { challenge, known: [] })
}

/** The passkey has verified its person, so it counts as both factors. */
export async function finishSignIn(context: RequestContext<FactorRoutesApp, PasskeyAnswer>) {
  const { app, body } = context
  const site = requireSite(context)
  const browser = browserOf(context)
  const now = new Date(app.clock.nowMs())
  const ceremony = { purpose: 'passkey_sign_in' as const, browserHash: browser.hash, personId: null }
  const entrance = await usePasskey(
    app,
    { site, ceremony, response: answerOf(body) },
    async (tx, passkey) => {
      const person = (await personById(tx, passkey.person_id)) ?? fail('FACTOR_INVALID', {})
      return finishFirstFactor(context, tx, { person, method: 'passkey', browser, bothFactors: true }, now)
    },
  )
  return answerEntrance(context, entrance)
}
