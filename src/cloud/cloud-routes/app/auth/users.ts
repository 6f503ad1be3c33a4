/** What the service key does with users: `auth.admin` of common clients. */
import {
  type AdminUserOptions,
  changeUser,
  countUsers,
  createUser,
  inviteUser,
  type LinkType,
  makeLink,
  readUsers,
  removeUser,
  requireUser,
  userPage,
} from '#cloud/app-users'
import { fail } from '#platform/errors'
import { isUuid } from '#platform/ids'
import { listJson } from '#platform/json'
import type { AppCall, AppReply } from '../area.ts'
import { reasons } from './phrases.ts'
import { invalid, type JsonBody, readBody, redirectOf, refusePhone, textOf } from './read.ts'
import { userBody } from './shapes.ts'

/** Throws APP_USER_SERVICE_NEEDED for everybody without the service key. */
export function requireService({ caller }: AppCall): void {
  if (caller.role !== 'service') fail('APP_USER_SERVICE_NEEDED', {})
}

export async function listUsers(call: AppCall): Promise<AppReply> {
  const { app, cloud, query } = call
  const page = numberOf(query.get('page'), 1, 100_000)
  const perPage = numberOf(query.get('per_page'), 50, 1_000)
  const [total, users] = await readUsers(app.users, cloud, async (reader) => [
    await countUsers(reader, cloud),
    await userPage(reader, cloud, { page, perPage }),
  ])
  const last = Math.max(Math.ceil(total / perPage), 1)
  const linkTo = (to: number, rel: string) => `</admin/users?page=${to}&per_page=${perPage}>; rel="${rel}"`
  const links = [...(page < last ? [linkTo(page + 1, 'next')] : []), linkTo(last, 'last')]
  return {
    status: 200,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'x-total-count': String(total),
      link: links.join(', '),
    },
    // A thousand users are megabytes, and triggers may have made more.
    body: Buffer.from(`{"users":${await listJson(users.map(userBody))},"aud":"authenticated"}`),
  }
}

function numberOf(text: string | null, usual: number, max: number): number {
  const number = /^\d{1,9}$/.test(text ?? '') ? Number(text) : usual
  return Math.min(Math.max(number, 1), max)
}

export async function addUser(call: AppCall): Promise<AppReply> {
  const body = await readBody(call)
  const id = textOf(body, 'id')
  if (id !== undefined && !isUuid(id)) invalid(reasons.id, 'id')
  const options = { ...userOptions(call, body), ...(id !== undefined && { id: id.toLowerCase() }) }
  return { status: 200, body: userBody(await createUser(call.app.users, call.cloud, options)) }
}

function userOptions({ app }: AppCall, body: JsonBody): AdminUserOptions {
  refusePhone(body)
  const role = textOf(body, 'role')
  if (role !== undefined && role !== 'authenticated') invalid(reasons.role, 'role')
  if (textOf(body, 'password_hash') !== undefined) invalid(reasons.hash, 'password_hash')
  return {
    email: textOf(body, 'email'),
    password: textOf(body, 'password'),
    emailConfirmed: body['email_confirm'] === true ? true : undefined,
    userMetadata: body['user_metadata'],
    appMetadata: body['app_metadata'],
    bannedUntil: bannedUntil(textOf(body, 'ban_duration'), app.clock.nowMs()),
  }
}

const units = { h: 3_600_000, m: 60_000, s: 1_000 } as const
const maxBanMs = 1_000 * 365.25 * 24 * units.h

/** Reads a duration such as `24h` or `1h30m`; `none` ends the block (null). Undefined leaves it as it is. */
function bannedUntil(text: string | undefined, nowMs: number): Date | null | undefined {
  if (text === undefined) return undefined
  if (text === 'none') return null
  const parts = text.length <= 40 ? [...text.matchAll(/(\d{1,9})([hms])/g)] : []
  const ms = parts.reduce((sum, [, count, unit]) => sum + Number(count) * units[unit as 'h'], 0)
  const isWhole = parts.map(([whole]) => whole).join('') === text
  if (!isWhole || ms === 0 || ms > maxBanMs) return invalid(reasons.ban, 'ban_duration')
  return new Date(nowMs + ms)
}

export const readUser = async ({ app, cloud }: AppCall, userId: string): Promise<AppReply> => ({
  status: 200,
  body: userBody(await requireUser(app.users, cloud, userId)),
})

export async function editUser(call: AppCall, userId: string): Promise<AppReply> {
  const options = userOptions(call, await readBody(call))
  return { status: 200, body: userBody(await changeUser(call.app.users, call.cloud, userId, options)) }
}

export async function deleteUser(call: AppCall, userId: string): Promise<AppReply> {
  const body = await readBody(call)
  if (body['should_soft_delete'] === true) fail('APP_USER_NOT_OFFERED', { what: 'soft_delete' })
  await removeUser(call.app.users, call.cloud, userId)
  return { status: 200, body: {} }
}

export async function invite(call: AppCall): Promise<AppReply> {
  const body = await readBody(call)
  const options = { email: textOf(body, 'email'), metadata: body['data'], redirectTo: redirectOf(call, body) }
  return { status: 200, body: userBody(await inviteUser(call.app.users, call.cloud, options)) }
}

const linkTypes: Readonly<Record<string, LinkType>> = {
  signup: 'signup',
  invite: 'invite',
  magiclink: 'magiclink',
  recovery: 'recovery',
  email_change_new: 'email_change',
}

export async function generateLink(call: AppCall): Promise<AppReply> {
  const body = await readBody(call)
  const given = textOf(body, 'type') ?? ''
  if (given === 'email_change_current') fail('APP_USER_NOT_OFFERED', { what: 'old_address_link' })
  const type = (Object.hasOwn(linkTypes, given) && linkTypes[given]) || invalid(reasons.linkType, 'type')
  const made = await makeLink(call.app.users, call.cloud, {
    type,
    email: textOf(body, 'email'),
    newEmail: textOf(body, 'new_email'),
    password: textOf(body, 'password'),
    metadata: body['data'],
    redirectTo: redirectOf(call, body),
  })
  return {
    status: 200,
    body: {
      ...userBody(made.user),
      action_link: made.link,
      email_otp: made.code,
      hashed_token: made.token,
      verification_type: made.type,
      redirect_to: made.redirectTo ?? '',
    },
  }
}
