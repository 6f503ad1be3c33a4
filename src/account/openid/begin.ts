/** Sends a browser to a provider: to sign in, to link an identity, or to prove again who is there. */
import { browserOf } from '#account/entering'
import { countPersonAttempt, networkOf } from '#account/sign-in'
import { fail } from '#platform/errors'
import { requirePerson } from '#platform/http'
import type { OpenIdContext } from './app.ts'
import { beginCeremony, type Purpose } from './ceremony.ts'
import { messages } from './phrases.ts'
import type { Provider } from './provider.ts'
import { ProviderAway } from './provider-fetch.ts'
import { redirectUri } from './providers.ts'
import { returnPath } from './return-path.ts'
import type { BeginBody, ProviderParams, SignInBody } from './schema.ts'

/** How often a network may begin: each time writes a row, and may ask the provider. */
const attempts = { max: 120, windowMs: 10 * 60_000 }

export const beginSignIn = (context: OpenIdContext<SignInBody, ProviderParams>) =>
  begin(context, 'sign_in', context.body.invitation)

export const beginLink = (context: OpenIdContext<BeginBody, ProviderParams>) => begin(context, 'link')

export const beginStepUp = (context: OpenIdContext<BeginBody, ProviderParams>) => begin(context, 'step_up')

/** Returns the address of the provider. Throws NOT_FOUND, INVALID_REQUEST, TOO_MANY_ATTEMPTS and OPENID_FAILED. */
async function begin(
  context: OpenIdContext<BeginBody, ProviderParams>,
  purpose: Purpose,
  invitation?: string,
): Promise<{ url: string }> {
  const { app, body, params } = context
  const provider = app.openId.find(params.provider) ?? fail('NOT_FOUND', {}, { param: 'provider' })
  const returnTo = body.return_to === undefined ? undefined : returnPath(body.return_to)
  if (body.return_to !== undefined && returnTo === undefined)
    fail('INVALID_REQUEST', { why: messages.returnTo }, { param: 'return_to' })
  const browser = browserOf(context)
  await countPersonAttempt(app, [{ kind: 'openid', of: networkOf(browser.address), ...attempts }])
  const person = purpose === 'sign_in' ? undefined : requirePerson(context)
  const session = person && { personId: person.personId, sessionId: person.sessionId }
  const ceremony = { purpose, provider: provider.config.id, session, returnTo, invitation }
  const now = new Date(app.clock.nowMs())
  const secrets = await beginCeremony(app, ceremony, browser.hash, now)
  const expectation = { ...secrets, redirectUri: redirectUri(app.config.baseUrl, provider.config.id) }
  const url = await reached(provider, () =>
    provider.authorizationUrl(expectation, { fresh: purpose === 'step_up' }),
  )
  return { url: url.href }
}

/** Throws OPENID_FAILED where the provider is away. */
export async function reached<Result>(provider: Provider, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ProviderAway)) throw error
    return fail('OPENID_FAILED', { provider: provider.config.name }, { cause: error, retryAfterMs: 60_000 })
  }
}
