/** The page that a mailed link opens: scanners of mails open links too, so nothing happens before somebody presses its button. */
import type { LiveCloud } from '#cloud/clouds'
import { Failure } from '#platform/errors'
import type { AppSignInApp, LinkPageApp } from './app.ts'
import { linkPurposes } from './links.ts'
import { addToken, tokenSigner } from './one-time.ts'
import { beginSessionByToken, findOpenToken, redeem } from './redeem.ts'
import { readRedirect } from './redirect.ts'
import { issueTokens, type OpenSession } from './sessions.ts'
import type { Purpose, TokenRow } from './token-store.ts'
import { changeUsers } from './users-database.ts'

export interface OpenLink {
  cloud: LiveCloud
  token: TokenRow
  purpose: Purpose
  /** The page that the link leads to; null where the app allows none. */
  redirectTo: string | null
}

/** Returns undefined for a link that was used, has expired or never existed, or whose cloud is not ready. */
export async function findLink(app: LinkPageApp, ref: string, secret: string): Promise<OpenLink | undefined> {
  const cloud = await app.clouds.find(ref)
  if (cloud?.state !== 'ready') return undefined
  const token = await findOpenToken(app, cloud, secret, linkPurposes)
  return (
    token && { cloud, token, purpose: token.purpose, redirectTo: await allowedRedirect(app, cloud, token) }
  )
}

/** A page that the developer has removed from the list meanwhile gets no session. */
async function allowedRedirect(
  app: AppSignInApp,
  cloud: LiveCloud,
  { redirect_to }: TokenRow,
): Promise<string | null> {
  try {
    return await readRedirect(app, cloud, redirect_to)
  } catch (error) {
    if (error instanceof Failure) return cloud.siteUrl
    throw error
  }
}

/** Whether the link lacks a page that it needs: confirmations need none; for other purposes the code has to be typed into the app. */
export const isRedirectMissing = ({ purpose, redirectTo }: OpenLink): boolean =>
  redirectTo === null && purpose !== 'signup' && purpose !== 'email_change'

/**
 * Uses the link. Returns the URL for the visitor, with a session or with a code for the page that requested the link; null if there is none. Throws
 * what `redeem` does.
 */
export async function followLink(
  app: AppSignInApp,
  { cloud, token, redirectTo }: OpenLink,
): Promise<string | null> {
  const now = new Date(app.clock.nowMs())
  if (redirectTo === null) {
    await changeUsers(app, cloud, (tx) => redeem(tx, cloud, token, now))
    return null
  }
  const { code_challenge: challenge, code_challenge_method: method, email } = token
  if (challenge !== null) {
    const signer = await tokenSigner(app)
    const code = await changeUsers(app, cloud, async (tx) => {
      const user = await redeem(tx, cloud, token, now)
      const proof = { challenge, method: method as 's256' | 'plain' }
      return addToken(tx, cloud, signer, user, { purpose: 'pkce', email, challenge: proof }, now)
    })
    const url = new URL(redirectTo)
    url.searchParams.set('code', code.token)
    return url.href
  }
  const begun = await changeUsers(app, cloud, (tx) => beginSessionByToken(tx, cloud, token, now))
  return withSession(redirectTo, await issueTokens(app, cloud, begun), token.purpose)
}

/** Puts the session behind the #, which browsers send to no server. */
function withSession(redirectTo: string, session: OpenSession, type: Purpose): string {
  const parts = new URLSearchParams({
    access_token: session.accessToken,
    expires_at: String(session.expiresAt),
    expires_in: String(session.expiresIn),
    refresh_token: session.refreshToken,
    token_type: 'bearer',
    type,
  })
  return `${redirectTo}#${parts}`
}
