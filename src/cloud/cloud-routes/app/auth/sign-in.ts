/** Sign-up, sign-in and the account of the signed-in user. */
import {
  changeOwnAccount,
  exchangeCode,
  isVerifyType,
  mailReauthenticationCode,
  mailRecovery,
  mailSignIn,
  refreshSession,
  requireUser,
  resendConfirmation,
  type SignOutScope,
  signInAnonymously,
  signInWithPassword,
  signOut,
  signUp,
  verifyCode,
  verifyToken,
} from '#cloud/app-users'
import { Failure, fail } from '#platform/errors'
import type { AppCall, AppReply } from '../area.ts'
import { reasons } from './phrases.ts'
import { challengeOf, invalid, type JsonBody, readBody, redirectOf, refusePhone, textOf } from './read.ts'
import { sessionBody, userBody } from './shapes.ts'

const okReply = (body: unknown): AppReply => ({ status: 200, body })

export async function register(call: AppCall): Promise<AppReply> {
  const body = await readBody(call)
  refusePhone(body)
  const { cloud, clientAddress } = call
  const { users } = call.app
  const [email, password, metadata] = [textOf(body, 'email'), textOf(body, 'password'), body['data']]
  if (email === undefined && password === undefined)
    return okReply(sessionBody(await signInAnonymously(users, cloud, metadata, clientAddress)))
  const [redirectTo, challenge] = [redirectOf(call, body), challengeOf(body)]
  const options = { email, password: password ?? '', metadata, redirectTo, challenge }
  const made = await signUp(users, cloud, options, clientAddress)
  return okReply('session' in made ? sessionBody(made.session) : userBody(made.pending))
}

export async function token(call: AppCall): Promise<AppReply> {
  const { cloud, query, clientAddress } = call
  const { users } = call.app
  const grant = query.get('grant_type')
  if (grant === 'web3') fail('APP_USER_NOT_OFFERED', { what: 'web3' })
  if (grant === 'id_token') fail('APP_USER_NOT_OFFERED', { what: 'oauth' })
  const body = await readBody(call)
  if (grant === 'password') {
    refusePhone(body)
    const given = { email: textOf(body, 'email'), password: textOf(body, 'password') ?? '' }
    return okReply(sessionBody(await signInWithPassword(users, cloud, given, clientAddress)))
  }
  if (grant === 'refresh_token')
    return okReply(sessionBody(await refreshSession(users, cloud, textOf(body, 'refresh_token') ?? '')))
  if (grant !== 'pkce') return invalid(reasons.grant, 'grant_type')
  const proof = { code: textOf(body, 'auth_code') ?? '', verifier: textOf(body, 'code_verifier') ?? '' }
  return okReply(sessionBody(await exchangeCode(users, cloud, proof)))
}

/** Throws APP_USER_SIGN_IN_NEEDED. */
function requireSignedIn({ caller }: AppCall): { userId: string; sessionId: string } {
  return caller.role === 'authenticated' ? caller : fail('APP_USER_SIGN_IN_NEEDED', {})
}

export async function readSelf(call: AppCall): Promise<AppReply> {
  const { userId } = requireSignedIn(call)
  try {
    return okReply(userBody(await requireUser(call.app.users, call.cloud, userId)))
  } catch (error) {
    // The user was deleted since the session was looked up.
    if (error instanceof Failure && error.code === 'APP_USER_NOT_FOUND') fail('APP_USER_SESSION_ENDED', {})
    throw error
  }
}

/** Role and app_metadata are not read here: a user may never set them. */
export async function editSelf(call: AppCall): Promise<AppReply> {
  const self = requireSignedIn(call)
  const body = await readBody(call)
  refusePhone(body)
  const changed = await changeOwnAccount(call.app.users, call.cloud, self, {
    email: textOf(body, 'email'),
    password: textOf(body, 'password'),
    metadata: body['data'],
    nonce: textOf(body, 'nonce'),
    redirectTo: redirectOf(call, body),
    challenge: challengeOf(body),
  })
  return okReply(userBody(changed))
}

export async function logout(call: AppCall): Promise<AppReply> {
  const self = requireSignedIn(call)
  const scope = call.query.get('scope') ?? 'global'
  if (!isScope(scope)) return invalid(reasons.scope, 'scope')
  await signOut(call.app.users, call.cloud, self, scope)
  return { status: 204 }
}

const isScope = (scope: string): scope is SignOutScope =>
  scope === 'global' || scope === 'local' || scope === 'others'

const linkOptions = (call: AppCall, body: JsonBody) => ({
  email: textOf(body, 'email'),
  redirectTo: redirectOf(call, body),
  challenge: challengeOf(body),
})

export async function recover(call: AppCall): Promise<AppReply> {
  await mailRecovery(call.app.users, call.cloud, linkOptions(call, await readBody(call)))
  return okReply({})
}

export async function otp(call: AppCall): Promise<AppReply> {
  const body = await readBody(call)
  refusePhone(body)
  const createUser = body['create_user'] !== false
  const options = { ...linkOptions(call, body), createUser, metadata: body['data'] }
  await mailSignIn(call.app.users, call.cloud, options)
  return okReply({})
}

export async function resend(call: AppCall): Promise<AppReply> {
  const body = await readBody(call)
  refusePhone(body)
  const type = textOf(body, 'type')
  if (type !== 'signup' && type !== 'email_change') return invalid(reasons.resend, 'type')
  await resendConfirmation(call.app.users, call.cloud, { ...linkOptions(call, body), type })
  return okReply({})
}

export async function verify(call: AppCall): Promise<AppReply> {
  const body = await readBody(call)
  refusePhone(body)
  const { cloud, clientAddress } = call
  const { users } = call.app
  const type = textOf(body, 'type') ?? ''
  const [hash, code, email] = [textOf(body, 'token_hash'), textOf(body, 'token'), textOf(body, 'email')]
  if (!isVerifyType(type)) return invalid(reasons.verify, 'type')
  if (hash !== undefined) return okReply(sessionBody(await verifyToken(users, cloud, type, hash)))
  if (code === undefined || email === undefined) return invalid(reasons.verify, 'token')
  return okReply(sessionBody(await verifyCode(users, cloud, { type, email, code }, clientAddress)))
}

/** Sends links of older clients to the page that acts only when its button is pressed. */
export async function openLinkPage({ app, cloud, query }: AppCall): Promise<AppReply> {
  const token = query.get('token_hash') ?? query.get('token') ?? ''
  if (!/^[\w-]{1,100}$/.test(token)) fail('APP_USER_LINK_INVALID', {})
  return { status: 303, headers: { location: `${app.config.baseUrl}/app-links/${cloud.ref}/${token}` } }
}

export async function reauthenticate(call: AppCall): Promise<AppReply> {
  await mailReauthenticationCode(call.app.users, call.cloud, requireSignedIn(call).userId)
  return okReply({})
}
