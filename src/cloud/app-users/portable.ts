/** Export, import and deletion of a cloud's users. Sessions and mailed tokens are not exported. */
import { Type } from 'typebox'
import { isPasswordHash } from '#account/sign-in'
import type { CloudKey } from '#cloud/clouds'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { isUuid } from '#platform/ids'
import type { UsersApp } from './app.ts'
import { readEmail } from './credentials.ts'
import { mergeMetadata } from './metadata.ts'
import { newUser } from './new-user.ts'
import { reasons } from './phrases.ts'
import { deleteSomeUsers, insertUsers, type UserRow, usersAfter } from './store.ts'
import { readUsers, type UsersCloud, usersTx } from './users-database.ts'

const portion = 200
const text = (maxLength: number) => Type.Union([Type.String({ maxLength }), Type.Null()])

/** One line of an export. The hash of a password can be used by another Kherad and does not reveal the password. */
export const ExportedUser = Type.Object(
  {
    id: Type.String({ maxLength: 36 }),
    email: text(1_000),
    password_hash: text(200),
    email_confirmed_at: text(40),
    is_anonymous: Type.Boolean(),
    user_metadata: Type.Record(Type.String(), Type.Unknown()),
    app_metadata: Type.Record(Type.String(), Type.Unknown()),
    banned_until: text(40),
    created_at: Type.String({ maxLength: 40 }),
  },
  { additionalProperties: false },
)

export interface ExportedUser {
  id: string
  email: string | null
  password_hash: string | null
  email_confirmed_at: string | null
  is_anonymous: boolean
  user_metadata: Record<string, unknown>
  app_metadata: Record<string, unknown>
  banned_until: string | null
  created_at: string
}

/** Yields every user, read in portions of one statement each; users who have not confirmed a sign-up are left out. */
export async function* exportUsers(
  app: Pick<UsersApp, 'db' | 'databases' | 'log'>,
  cloud: UsersCloud,
): AsyncGenerator<ExportedUser> {
  for (let after: string | undefined, found = portion; found === portion; ) {
    const page = { after, limit: portion }
    const users = await readUsers(app, cloud, (reader) => usersAfter(reader, cloud, page))
    for (const user of users) if (user.pending_until === null) yield toExportedUser(user)
    found = users.length
    after = users.at(-1)?.user_id
  }
}

const toExportedUser = (user: UserRow): ExportedUser => ({
  id: user.user_id,
  email: user.email,
  password_hash: user.password_hash,
  email_confirmed_at: user.email_confirmed_at?.toISOString() ?? null,
  is_anonymous: user.is_anonymous,
  user_metadata: user.user_metadata,
  app_metadata: user.app_metadata,
  banned_until: user.banned_until?.toISOString() ?? null,
  created_at: user.created_at.toISOString(),
})

/** Users in one statement, whose values PostgreSQL counts in 16 bits. */
const insertedAtOnce = 200

/**
 * Adds users of an export; ids stay, since rows and files name them. Throws APP_USER_INVALID, APP_USER_EMAIL_INVALID, APP_USER_EXISTS and
 * APP_USER_LIMIT.
 */
export async function importUsers(
  tx: Tx,
  cloud: CloudKey,
  users: AsyncIterable<ExportedUser> | Iterable<ExportedUser>,
  { max, now }: { max: number; now: Date },
): Promise<void> {
  let waiting: UserRow[] = []
  for await (const user of users) {
    waiting.push(toUserRow(cloud, user, now))
    if (waiting.length < insertedAtOnce) continue
    await insertUsers(usersTx(tx), cloud, waiting, max)
    waiting = []
  }
  if (waiting.length > 0) await insertUsers(usersTx(tx), cloud, waiting, max)
}

function toUserRow(cloud: CloudKey, user: ExportedUser, now: Date): UserRow {
  const hash = user.password_hash
  if (!isUuid(user.id) || (hash !== null && !isPasswordHash(hash)))
    fail('APP_USER_INVALID', { why: reasons.imported })
  return newUser(cloud, now, {
    user_id: user.id.toLowerCase(),
    email: user.email === null ? null : readEmail(user.email),
    password_hash: hash,
    email_confirmed_at: readDate(user.email_confirmed_at),
    is_anonymous: user.is_anonymous,
    user_metadata: mergeMetadata({}, user.user_metadata),
    app_metadata: mergeMetadata({}, user.app_metadata, 'appMetadata'),
    banned_until: readDate(user.banned_until),
    created_at: readDate(user.created_at) ?? now,
    updated_at: now,
  })
}

function readDate(text: string | null): Date | null {
  if (text === null) return null
  const date = new Date(text)
  const year = date.getUTCFullYear()
  return year >= 1970 && year <= 9999 ? date : fail('APP_USER_INVALID', { why: reasons.imported })
}

/** Deletes a portion of the users in the database of the platform, with all their rows there. Returns true if there was none. */
export async function deleteUsersOf(
  { db, appUsers }: Pick<UsersApp, 'db' | 'appUsers'>,
  cloud: CloudKey,
): Promise<boolean> {
  const deleted = await db.tx((tx) => deleteSomeUsers(usersTx(tx), cloud, portion))
  appUsers.forget(...deleted)
  return deleted.length === 0
}
