/** `/auth/v1`: sign-in of app users, for an unchanged common client (docs/decisions/cloud/app-users.md). */
import { type MissingFeature, sweepIfDue } from '#cloud/app-users'
import { fail } from '#platform/errors'
import type { AppArea, AppCall, AppReply } from '../area.ts'
import { authFailureReply } from './refused.ts'
import * as signIn from './sign-in.ts'
import * as users from './users.ts'

type Handler = (call: AppCall) => Promise<AppReply> | AppReply

const handlers: Readonly<Record<string, Handler>> = {
  'POST /signup': signIn.register,
  'POST /token': signIn.token,
  'GET /user': signIn.readSelf,
  'PUT /user': signIn.editSelf,
  'POST /logout': signIn.logout,
  'POST /recover': signIn.recover,
  'POST /otp': signIn.otp,
  'POST /magiclink': signIn.otp,
  'POST /resend': signIn.resend,
  'POST /verify': signIn.verify,
  'GET /verify': signIn.openLinkPage,
  'GET /reauthenticate': signIn.reauthenticate,
  'GET /settings': settings,
  'GET /health': () => ({ status: 200, body: { name: 'Kherad', description: 'Sign-in of app users' } }),
  'GET /.well-known/jwks.json': signingKeys,
}

const serviceHandlers: Readonly<Record<string, Handler>> = {
  'GET /admin/users': users.listUsers,
  'POST /admin/users': users.addUser,
  'POST /admin/generate_link': users.generateLink,
  'POST /invite': users.invite,
}

const userHandlers: Readonly<Record<string, (call: AppCall, userId: string) => Promise<AppReply>>> = {
  GET: users.readUser,
  PUT: users.editUser,
  DELETE: users.deleteUser,
}

/** Paths that common clients can request and that are not offered here. */
const unoffered: readonly (readonly [RegExp, MissingFeature])[] = [
  [/^\/(?:authorize|callback|user\/identities)(?:\/|$)/, 'oauth'],
  [/^\/(?:oauth|user\/oauth|admin\/oauth|admin\/custom-providers)(?:\/|$)/, 'oauth_server'],
  [/^\/(?:sso|saml|admin\/sso)(?:\/|$)/, 'sso'],
  [/^\/(?:factors|recovery-codes|admin\/users\/[^/]+\/factors)(?:\/|$)/, 'mfa'],
  [/^\/(?:passkeys|admin\/users\/[^/]+\/passkeys)(?:\/|$)/, 'passkeys'],
]

const adminUser = /^\/admin\/users\/([^/]+)$/

async function handle(call: AppCall): Promise<AppReply> {
  const { path } = call
  const method = call.method === 'HEAD' ? 'GET' : call.method
  const name = `${method} ${path}`
  if (Object.hasOwn(handlers, name)) return handlers[name]!(call)
  if (Object.hasOwn(serviceHandlers, name)) {
    users.requireService(call)
    return serviceHandlers[name]!(call)
  }
  const [, userId] = adminUser.exec(path) ?? []
  if (userId !== undefined && Object.hasOwn(userHandlers, method)) {
    users.requireService(call)
    return userHandlers[method]!(call, userId)
  }
  const what = unoffered.find(([shape]) => shape.test(path))?.[1]
  return what
    ? fail('APP_USER_NOT_OFFERED', { what })
    : fail('CLOUD_PATH_NOT_FOUND', { path: `/auth/v1${path}` })
}

function settings({ app, cloud }: AppCall): AppReply {
  const body = {
    external: { email: true, phone: false, anonymous_users: cloud.anonymousSignIns },
    disable_signup: cloud.disableSignup,
    mailer_autoconfirm: app.users.mail === undefined,
    phone_autoconfirm: false,
    saml_enabled: false,
    passkeys_enabled: false,
  }
  return { status: 200, body }
}

/** The public keys, for programs that check access tokens themselves. */
function signingKeys({ cloud }: AppCall): AppReply {
  const keys = cloud.signingKeys.map(({ kid, publicJwk: { kty, crv, x, y } }) => ({
    ...{ kty, crv, x, y, kid, alg: 'ES256', use: 'sig', key_ops: ['verify'], ext: true },
  }))
  return { status: 200, headers: { 'cache-control': 'public, max-age=300' }, body: { keys } }
}

/** Paths that are read without a key: by programs that check tokens, and by browsers that follow a link. */
const open = new Set(['/.well-known/jwks.json', '/verify', '/authorize', '/health'])

async function handleAndSweep(call: AppCall): Promise<AppReply> {
  const reply = await handle(call)
  // A request that only reads may have left the database asleep.
  if (call.method !== 'GET' && call.method !== 'HEAD') await sweepIfDue(call.app.users, call.cloud)
  return reply
}

export const authArea: AppArea = {
  prefix: '/auth/v1',
  name: 'auth',
  isOpen: ({ method, path }) => (method === 'GET' || method === 'HEAD') && open.has(path),
  handle: handleAndSweep,
  failureReply: authFailureReply,
}
