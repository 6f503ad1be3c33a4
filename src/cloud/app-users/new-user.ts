import { randomUUID } from 'node:crypto'
import type { CloudKey } from '#cloud/clouds'
import type { UserRow } from './store.ts'

/** Makes the row of a new user. Its id does not show when somebody signed up, so that the id in an answer about nobody looks the same. */
export const newUser = (cloud: CloudKey, now: Date, known: Partial<UserRow>): UserRow => ({
  account_id: cloud.accountId,
  cloud_id: cloud.cloudId,
  user_id: randomUUID(),
  email: null,
  password_hash: null,
  email_confirmed_at: null,
  new_email: null,
  is_anonymous: false,
  user_metadata: {},
  app_metadata: {},
  banned_until: null,
  pending_until: null,
  invited_at: null,
  last_sign_in_at: null,
  created_at: now,
  updated_at: now,
  ...known,
})

const week = 7 * 24 * 60 * 60 * 1000

/** A user who does not confirm the address within a week is deleted. */
export const pendingUntil = (now: Date): Date => new Date(now.getTime() + week)
