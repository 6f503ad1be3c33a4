/** Users and sessions as common clients know them. */
import { appMetadataOf, type OpenSession, type UserRow } from '#cloud/app-users'

export function userBody(user: UserRow): Record<string, unknown> {
  const confirmedAt = user.email_confirmed_at
  return {
    id: user.user_id,
    aud: 'authenticated',
    role: 'authenticated',
    email: user.email ?? '',
    ...(confirmedAt && { email_confirmed_at: confirmedAt, confirmed_at: confirmedAt }),
    ...(user.new_email !== null && { new_email: user.new_email }),
    ...(user.invited_at && { invited_at: user.invited_at }),
    ...(user.last_sign_in_at && { last_sign_in_at: user.last_sign_in_at }),
    ...(user.banned_until && { banned_until: user.banned_until }),
    phone: '',
    app_metadata: appMetadataOf(user),
    user_metadata: user.user_metadata,
    identities: user.email === null ? [] : [identityOf(user, user.email)],
    is_anonymous: user.is_anonymous,
    created_at: user.created_at,
    updated_at: user.updated_at,
  }
}

/** There is one way to sign in, so a user with an address has this one identity. */
const identityOf = (user: UserRow, email: string) => ({
  identity_id: user.user_id,
  id: user.user_id,
  user_id: user.user_id,
  identity_data: {
    email,
    email_verified: user.email_confirmed_at !== null,
    phone_verified: false,
    sub: user.user_id,
  },
  provider: 'email',
  email,
  ...(user.last_sign_in_at && { last_sign_in_at: user.last_sign_in_at }),
  created_at: user.created_at,
  updated_at: user.updated_at,
})

export const sessionBody = (session: OpenSession): Record<string, unknown> => ({
  access_token: session.accessToken,
  token_type: 'bearer',
  expires_in: session.expiresIn,
  expires_at: session.expiresAt,
  refresh_token: session.refreshToken,
  user: userBody(session.user),
})
