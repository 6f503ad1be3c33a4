/** Links and codes by mail: recovery, sign-in, confirmation again, and codes for changes of an account. */
import { timingSafeEqual } from 'node:crypto'
import type { App } from '#app'
import type { LiveCloud } from '#cloud/clouds'
import { fail } from '#platform/errors'
import { type Signer, sha256 } from '#platform/secrets'
import { readEmail } from './email-address.ts'
import { inEvenTime } from './even-time.ts'
import { post } from './mails.ts'
import { mergeMetadata } from './metadata.ts'
import { newUser, pendingUntil } from './new-user.ts'
import { addToken, type Challenge, type TokenWish, tokenSigner } from './one-time.ts'
import { findOpenToken, signInByToken } from './redeem.ts'
import { readRedirect } from './redirect.ts'
import type { OpenSession } from './sessions.ts'
import {
  findByNewEmail,
  findUser,
  insertUser,
  lockByEmail,
  lockCloud,
  type Metadata,
  type UserRow,
} from './store.ts'
import { lockTokens, type Purpose } from './token-store.ts'
import { changeUsers, readUsers, type UsersTx } from './users-database.ts'

export interface LinkWish {
  email: unknown
  redirectTo: string | null
  challenge: Challenge | undefined
}

/** Throws APP_USER_MAIL_OFF for every address alike, before any is looked up. */
export function requireMail({ mail }: Pick<App, 'mail'>): void {
  if (!mail) fail('APP_USER_MAIL_OFF', {})
}

interface Ready {
  app: App
  cloud: LiveCloud
  email: string
  signer: Signer
  now: Date
}

/** Runs `work` with the cloud locked. */
async function inOrder(
  app: App,
  cloud: LiveCloud,
  wish: LinkWish,
  work: (
    tx: UsersTx,
    ready: Ready & { link: Pick<TokenWish, 'redirectTo' | 'challenge'>; users: number },
  ) => Promise<void>,
): Promise<void> {
  requireMail(app)
  const email = readEmail(wish.email)
  const redirectTo = await readRedirect(app, cloud, wish.redirectTo)
  const signer = await tokenSigner(app)
  const now = new Date(app.clock.nowMs())
  await inEvenTime(() =>
    changeUsers(app, cloud, async (tx) => {
      const users = await lockCloud(tx, cloud)
      const link = { redirectTo, challenge: wish.challenge }
      await work(tx, { app, cloud, email, signer, now, link, users })
    }),
  )
}

/** Without a user the mail is only counted, so that both cases look the same from outside. */
async function mailTo(
  tx: UsersTx,
  ready: Ready,
  user: UserRow | undefined,
  wish: Omit<TokenWish, 'email'>,
): Promise<void> {
  const { app, cloud, email, signer, now } = ready
  const isBlocked = user?.banned_until && user.banned_until > now
  if (!user || isBlocked || wish.purpose === 'pkce')
    return post(app, tx, cloud, { address: email, kind: null }, now)
  const { token_id: tokenId } = await addToken(tx, cloud, signer, user, { ...wish, email }, now)
  await post(app, tx, cloud, { address: email, kind: wish.purpose, tokenId }, now)
}

/** Mails a link for a new password. Throws APP_USER_MAIL_OFF, APP_USER_MAIL_LIMIT, APP_USER_EMAIL_INVALID and what `readRedirect` does. */
export const mailRecovery = (app: App, cloud: LiveCloud, wish: LinkWish): Promise<void> =>
  inOrder(app, cloud, wish, async (tx, ready) =>
    mailTo(tx, ready, await lockByEmail(tx, cloud, ready.email), { purpose: 'recovery', ...ready.link }),
  )

/** Mails a link and a code to sign in with; somebody unknown becomes a user where the app takes new ones. Throws what `mailRecovery` does. */
export async function mailSignIn(
  app: App,
  cloud: LiveCloud,
  wish: LinkWish & { createUser: boolean; metadata: unknown },
): Promise<void> {
  const metadata = mergeMetadata({}, wish.metadata)
  await inOrder(app, cloud, wish, async (tx, ready) => {
    const isOpen = !cloud.disableSignup && cloud.readOnlyWhy === null
    const takesNew = wish.createUser && isOpen && ready.users < cloud.limits.users
    const known = await lockByEmail(tx, cloud, ready.email)
    const user = known ?? (takesNew ? await addPending(tx, ready, metadata) : undefined)
    await mailTo(tx, ready, user, { purpose: 'magiclink', ...ready.link })
  })
}

async function addPending(tx: UsersTx, { cloud, email, now }: Ready, metadata: Metadata): Promise<UserRow> {
  const user = newUser(cloud, now, { email, user_metadata: metadata, pending_until: pendingUntil(now) })
  return insertUser(tx, user, cloud.limits.users)
}

/** Mails the confirmation of a sign-up or of a new address again. Throws what `mailRecovery` does. */
export const mailAgain = (
  app: App,
  cloud: LiveCloud,
  wish: LinkWish & { type: 'signup' | 'email_change' },
): Promise<void> =>
  inOrder(app, cloud, wish, async (tx, ready) => {
    if (wish.type === 'email_change') {
      const changing = await findByNewEmail(tx, cloud, ready.email)
      return mailTo(tx, ready, changing, { purpose: 'email_change', ...ready.link })
    }
    const user = await lockByEmail(tx, cloud, ready.email)
    if (!user || user.email_confirmed_at) return mailTo(tx, ready, undefined, { purpose: 'signup' })
    // The token repeats password and metadata of the last sign-up.
    const [last] = await lockTokens(tx, cloud, user.user_id, ['signup'])
    await mailTo(tx, ready, user, {
      purpose: 'signup',
      ...ready.link,
      passwordHash: last?.password_hash ?? undefined,
      userMetadata: last?.user_metadata ?? undefined,
    })
  })

/**
 * Mails a code for a change of the user's own account. Throws APP_USER_MAIL_OFF, APP_USER_MAIL_LIMIT, and APP_USER_NOT_CONFIRMED without an address.
 */
export async function mailCode(app: App, cloud: LiveCloud, userId: string): Promise<void> {
  requireMail(app)
  const user = await readUsers(app, cloud, (reader) => findUser(reader, cloud, userId))
  if (!user?.email || !user.email_confirmed_at) fail('APP_USER_NOT_CONFIRMED', {})
  await inOrder(app, cloud, { email: user.email, redirectTo: null, challenge: undefined }, (tx, ready) =>
    mailTo(tx, ready, user, { purpose: 'reauthentication' }),
  )
}

/**
 * Opens a session for the page that requested a link, and proves it by `verifier`. Throws APP_USER_LINK_INVALID, APP_USER_VERIFIER_WRONG and what
 * `redeem` does.
 */
export async function exchangeCode(
  app: App,
  cloud: LiveCloud,
  { code, verifier }: { code: string; verifier: string },
): Promise<OpenSession> {
  const token = await findOpenToken(app, cloud, code, ['pkce'])
  if (!token) fail('APP_USER_LINK_INVALID', {})
  const answer = token.code_challenge_method === 's256' ? sha256(verifier).toString('base64url') : verifier
  if (!timingSafeEqual(sha256(answer), sha256(token.code_challenge!))) fail('APP_USER_VERIFIER_WRONG', {})
  return signInByToken(app, cloud, token)
}

export const linkPurposes = [
  'signup',
  'invite',
  'recovery',
  'magiclink',
  'email_change',
] as const satisfies Purpose[]
