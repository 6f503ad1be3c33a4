/** Ends what `begin.ts` began: the page to which the provider sent the browser hands in its own address. */
import { answerEntrance, browserOf, type Entrance } from '#account/entering'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import type { OpenIdContext } from './app.ts'
import { reached } from './begin.ts'
import { type Ceremony, endCeremony } from './ceremony.ts'
import type { Claims } from './claims.ts'
import { enter } from './enter.ts'
import { link } from './link.ts'
import { AnswerInvalid, type Provider } from './provider.ts'
import { redirectUri } from './providers.ts'
import type { FinishBody, FinishReply } from './schema.ts'
import { stepUpWith } from './step-up.ts'

/** What a provider has answered, and to what. */
export interface Answer {
  ceremony: Ceremony
  provider: Provider
  claims: Claims
}

/**
 * Signs in, links or steps up, as was begun. Throws OPENID_ANSWER_INVALID (400) for whatever is not the answer of this provider to this browser, once;
 * OPENID_FAILED (503), and the refusals of the three ends.
 */
export async function finish(context: OpenIdContext<FinishBody>): Promise<FinishReply> {
  const { app, body } = context
  const browser = browserOf(context)
  const parameters = parametersOf(body.url)
  const state = parameters && single(parameters, 'state')
  const now = new Date(app.clock.nowMs())
  const ended = state === undefined ? undefined : await endCeremony(app, state, browser.hash, now)
  const provider = ended && app.openId.find(ended.provider)
  if (!ended || !provider || !parameters) return invalid('ceremony')
  const uri = redirectUri(app.config.baseUrl, ended.provider)
  if (!isAt(body.url, uri)) return invalid('ceremony')
  // No transaction is open during the requests to the provider, and the ceremony is over whatever it answers.
  const claims = await claimsOf(provider, parameters, { ...ended.expectation, redirectUri: uri })
  const answer: Answer = { ceremony: ended, provider, claims }
  const returnTo = ended.returnTo === undefined ? {} : { return_to: ended.returnTo }
  if (ended.purpose === 'sign_in') {
    const entrance = await app.db.tx((tx: Tx): Promise<Entrance> => enter(context, tx, answer, browser))
    return { ...answerEntrance(context, entrance), ...returnTo }
  }
  const session = await sessionOf(context, ended)
  if (ended.purpose === 'link') {
    await app.db.tx((tx) => link(context, tx, answer, session))
    return { status: 'linked', provider: provider.config.id, ...returnTo }
  }
  await app.db.tx((tx) => stepUpWith(context, tx, answer, session))
  return { status: 'stepped_up', ...returnTo }
}

const invalid = (reason: 'ceremony' | 'denied' | 'invalid', cause?: unknown): never =>
  fail('OPENID_ANSWER_INVALID', { reason }, { cause })

const claimsOf = (provider: Provider, ...answer: Parameters<Provider['claims']>): Promise<Claims> =>
  reached(provider, () =>
    provider.claims(...answer).catch((error: unknown) => {
      if (error instanceof AnswerInvalid) return invalid(error.reason, error)
      throw error
    }),
  )

const parametersOf = (url: string): URLSearchParams | undefined =>
  URL.canParse(url) ? new URL(url).searchParams : undefined

/** The only parameter of this name; several are nobody's answer. */
function single(parameters: URLSearchParams, name: string): string | undefined {
  const [value, second] = parameters.getAll(name)
  return second === undefined ? value : undefined
}

/** Whether the browser was sent to the page of the provider to whom it was sent before. */
const isAt = (url: string, uri: string): boolean => {
  const { origin, pathname } = new URL(url)
  const expected = new URL(uri)
  return origin === expected.origin && pathname === expected.pathname
}

/** The session in which it was begun, which must still be that of the browser. Throws NOT_SIGNED_IN (401). */
async function sessionOf(context: OpenIdContext, { session }: Ceremony) {
  const token = context.cookie('session')
  const found = token === undefined ? undefined : await context.app.sessions.findNow(token)
  if (!found || found.sessionId !== session?.sessionId || found.personId !== session.personId)
    return fail('NOT_SIGNED_IN', {})
  return found
}
