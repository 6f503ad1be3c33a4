import { networkOf } from '#account/sign-in'
import type { LiveCloud } from '#cloud/clouds'
import { fail } from '#platform/errors'
import type { AppSignInApp } from './app.ts'
import { countAttempt, signInSubjects, uncountAttempt } from './attempts.ts'
import { givenPassword, readEmail } from './credentials.ts'
import { beginSession, issueTokens, type OpenSession, requireUnblocked } from './sessions.ts'
import { findByEmail, lockUser } from './store.ts'
import { changeUsers, readUsers } from './users-database.ts'

/**
 * Signs in with a password. An unknown address takes the same time and gets the same answer as a wrong password. Throws
 * APP_USER_EMAIL_INVALID, APP_USER_THROTTLED, APP_USERS_BUSY, APP_USER_CREDENTIALS_WRONG; and to whoever knows the password
 * APP_USER_NOT_CONFIRMED and APP_USER_BLOCKED.
 */
export async function signInWithPassword(
  app: AppSignInApp,
  cloud: LiveCloud,
  given: { email: unknown; password: string },
  clientAddress: string,
): Promise<OpenSession> {
  const email = readEmail(given.email)
  const subjects = signInSubjects(email, networkOf(clientAddress))
  await countAttempt(app, cloud, subjects)
  const user = await readUsers(app, cloud, (reader) => findByEmail(reader, cloud, email))
  const password = givenPassword(given.password)
  const isRight = await app.appUsers.passwords.matches(cloud.cloudId, password, user?.password_hash)
  if (!user || !isRight) fail('APP_USER_CREDENTIALS_WRONG', {})
  const now = new Date(app.clock.nowMs())
  requireUnblocked(user, now)
  if (!user.email_confirmed_at) fail('APP_USER_NOT_CONFIRMED', {})
  const begun = await changeUsers(app, cloud, async (tx) => {
    const locked = await lockUser(tx, cloud, user.user_id)
    // The password was changed while the given one was compared.
    if (locked?.password_hash !== user.password_hash) fail('APP_USER_CREDENTIALS_WRONG', {})
    return beginSession(tx, cloud, locked!, 'password', now)
  })
  await uncountAttempt(app, cloud, subjects)
  return issueTokens(app, cloud, begun)
}
