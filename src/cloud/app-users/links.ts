/** Links and codes by mail: recovery, sign-in, confirmation again, and codes for changes of an account. */
import { timingSafeEqual } from 'node:crypto'
import { inConstantTime } from '#account/sign-in'
import type { LiveCloud } from '#cloud/clouds'
import { fail } from '#platform/errors'
import { type Signer, sha256 } from '#platform/secrets'
import type { AppSignInApp } from './app.ts'
import { readEmail } from './credentials.ts'
import { queueMail } from './mails.ts'
import { mergeMetadata } from './metadata.ts'
import { newUser, pendingUntil } from './new-user.ts'
import { addToken, type Challenge, type TokenOptions, tokenSigner } from './one-time.ts'
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

export interface LinkOptions {
  email: unknown
  redirectTo: string | null
  challenge: Challenge | undefined
}

/** Throws APP_USER_MAIL_OFF for every address alike, before any is looked up. */
export function requireMail({ mail }: Pick<AppSignInApp, 'mail'>): void {
  if (!mail) fail('APP_USER_MAIL_OFF', {})
}

interface MailContext {
  app: AppSignInApp
  cloud: LiveCloud
  email: string
  signer: Signer
  now: Date
}

/** Runs `work` with the cloud locked. */
async function withCloudLocked(
  app: AppSignInApp,
  cloud: LiveCloud,
  options: LinkOptions,
  work: (
    tx: UsersTx,
    context: MailContext & { link: Pick<TokenOptions, 'redirectTo' | 'challenge'>; users: number },
  ) => Promise<void>,
): Promise<void> {
  requireMail(app)
  const email = readEmail(options.email)
  const redirectTo = await readRedirect(app, cloud, options.redirectTo)
  const signer = await tokenSigner(app)
  const now = new Date(app.clock.nowMs())
  await inConstantTime(() =>
    changeUsers(app, cloud, async (tx) => {
      const users = await lockCloud(tx, cloud)
      const link = { redirectTo, challenge: options.challenge }
      await work(tx, { app, cloud, email, signer, now, link, users })
    }),
  )
}

/** Without a user the mail is only counted, so that both cases look the same from outside. */
async function mailToken(
  tx: UsersTx,
  context: MailContext,
  user: UserRow | undefined,
  options: Omit<TokenOptions, 'email'>,
): Promise<void> {
  const { app, cloud, email, signer, now } = context
  const isBlocked = user?.banned_until && user.banned_until > now
  if (!user || isBlocked || options.purpose === 'pkce')
    return queueMail(app, tx, cloud, { address: email, kind: null }, now)
  const { token_id: tokenId } = await addToken(tx, cloud, signer, user, { ...options, email }, now)
  await queueMail(app, tx, cloud, { address: email, kind: options.purpose, tokenId }, now)
}

/** Mails a link for a new password. Throws APP_USER_MAIL_OFF, APP_USER_MAIL_LIMIT, APP_USER_EMAIL_INVALID and what `readRedirect` does. */
export const mailRecovery = (app: AppSignInApp, cloud: LiveCloud, options: LinkOptions): Promise<void> =>
  withCloudLocked(app, cloud, options, async (tx, context) =>
    mailToken(tx, context, await lockByEmail(tx, cloud, context.email), {
      purpose: 'recovery',
      ...context.link,
    }),
  )

/** Mails a link and a code to sign in with; somebody unknown becomes a user where the app takes new ones. Throws what `mailRecovery` does. */
export async function mailSignIn(
  app: AppSignInApp,
  cloud: LiveCloud,
  options: LinkOptions & { createUser: boolean; metadata: unknown },
): Promise<void> {
  const metadata = mergeMetadata({}, options.metadata)
  await withCloudLocked(app, cloud, options, async (tx, context) => {
    const isOpen = !cloud.disableSignup && cloud.readOnlyWhy === null
    const takesNew = options.createUser && isOpen && context.users < cloud.limits.users
    const known = await lockByEmail(tx, cloud, context.email)
    const user = known ?? (takesNew ? await addPendingUser(tx, context, metadata) : undefined)
    await mailToken(tx, context, user, { purpose: 'magiclink', ...context.link })
  })
}

async function addPendingUser(
  tx: UsersTx,
  { cloud, email, now }: MailContext,
  metadata: Metadata,
): Promise<UserRow> {
  const user = newUser(cloud, now, { email, user_metadata: metadata, pending_until: pendingUntil(now) })
  return insertUser(tx, user, cloud.limits.users)
}

/** Mails the confirmation of a sign-up or of a new address again. Throws what `mailRecovery` does. */
export const resendConfirmation = (
  app: AppSignInApp,
  cloud: LiveCloud,
  options: LinkOptions & { type: 'signup' | 'email_change' },
): Promise<void> =>
  withCloudLocked(app, cloud, options, async (tx, context) => {
    if (options.type === 'email_change') {
      const changing = await findByNewEmail(tx, cloud, context.email)
      return mailToken(tx, context, changing, { purpose: 'email_change', ...context.link })
    }
    const user = await lockByEmail(tx, cloud, context.email)
    if (!user || user.email_confirmed_at) return mailToken(tx, context, undefined, { purpose: 'signup' })
    // The token repeats password and metadata of the last sign-up.
    const [last] = await lockTokens(tx, cloud, user.user_id, ['signup'])
    await mailToken(tx, context, user, {
      purpose: 'signup',
      ...context.link,
      passwordHash: last?.password_hash ?? undefined,
      userMetadata: last?.user_metadata ?? undefined,
    })
  })

/**
 * Mails a code for a change of the user's own account. Throws APP_USER_MAIL_OFF, APP_USER_MAIL_LIMIT, and APP_USER_NOT_CONFIRMED without an address.
 */
export async function mailReauthenticationCode(
  app: AppSignInApp,
  cloud: LiveCloud,
  userId: string,
): Promise<void> {
  requireMail(app)
  const user = await readUsers(app, cloud, (reader) => findUser(reader, cloud, userId))
  if (!user?.email || !user.email_confirmed_at) fail('APP_USER_NOT_CONFIRMED', {})
  await withCloudLocked(
    app,
    cloud,
    { email: user.email, redirectTo: null, challenge: undefined },
    (tx, context) => mailToken(tx, context, user, { purpose: 'reauthentication' }),
  )
}

/**
 * Opens a session for the page that requested a link, and proves it by `verifier`. Throws APP_USER_LINK_INVALID, APP_USER_VERIFIER_WRONG and what
 * `redeem` does.
 */
export async function exchangeCode(
  app: AppSignInApp,
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
