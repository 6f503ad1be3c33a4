import { auditRequest } from '#account/audit'
import {
  blockUser,
  listUsers,
  makeLink,
  readUsers,
  removeUser,
  requireUser,
  type UserRow,
} from '#cloud/app-users'
import type { LiveCloud } from '#cloud/clouds'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { JsonText, type RequestContext } from '#platform/http'
import { listJson } from '#platform/json'
import { plainList } from '#platform/lists'
import type { AuthRoutesApp } from '../app.ts'
import { requireCloud } from '../require-cloud.ts'
import { reasons } from './phrases.ts'
import type { AppUser, LinkBody, UserParams, UsersQuery } from './schema.ts'

type UserContext<Body = unknown> = RequestContext<AuthRoutesApp, Body, unknown, UserParams>

/** The cloud as its app sees it. Throws what `requireCloud` does. */
async function cloudOf({
  app,
  caller,
  params,
}: Pick<
  RequestContext<AuthRoutesApp, unknown, unknown, { id: string }>,
  'app' | 'caller' | 'params'
>): Promise<LiveCloud> {
  const { ref } = await requireCloud(app, caller, params.id, { ready: true })
  return (await app.clouds.find(ref)) ?? fail('CLOUD_NOT_FOUND', {}, { param: 'id' })
}

const param = { param: 'user_id' }

export async function list(context: RequestContext<AuthRoutesApp, unknown, UsersQuery, { id: string }>) {
  const { app, query } = context
  const cloud = await cloudOf(context)
  const page = await readUsers(app, cloud, (reader) => listUsers(reader, cloud, query))
  const { data, ...rest } = plainList.answer(page, (row) => toUser(row, app.clock.nowMs()))
  // Triggers of a dedicated cloud may have made users of megabytes.
  return new JsonText(`{"data":${await listJson(data)},${JSON.stringify(rest).slice(1)}`)
}

export async function read(context: UserContext): Promise<AppUser> {
  const { app, params } = context
  return toUser(await requireUser(app, await cloudOf(context), params.user_id, param), app.clock.nowMs())
}

export async function block(context: UserContext): Promise<AppUser> {
  return toUser(await changeBlock(context, true), context.app.clock.nowMs())
}

export async function unblock(context: UserContext): Promise<AppUser> {
  return toUser(await changeBlock(context, false), context.app.clock.nowMs())
}

async function changeBlock(context: UserContext, blocked: boolean): Promise<UserRow> {
  const { app, params } = context
  return blockUser(app, await cloudOf(context), params.user_id, {
    ...(!blocked && { until: null }),
    alongside: (tx) => auditUser(tx, context, { blocked }),
  })
}

/** Writes the row of a change of a user, whose address it leaves out. */
const auditUser = (tx: Tx, context: UserContext, after: object): Promise<void> =>
  auditRequest(tx, context, {
    target: { kind: 'app_user', id: context.params.user_id.toLowerCase() },
    after: { cloud_id: context.params.id, ...after },
  })

export async function remove(context: UserContext) {
  const { app, params } = context
  const cloud = await cloudOf(context)
  const { user_id: id } = await requireUser(app, cloud, params.user_id, param)
  await removeUser(app, cloud, id, (tx) => auditUser(tx, context, { deleted: true }))
  return { object: 'cloud.user', id, deleted: true }
}

/** Makes a link for servers that send no mail, or users who lost access to theirs. */
export async function link(context: UserContext<LinkBody>) {
  const { app, body, params } = context
  const cloud = await cloudOf(context)
  const { email } = await requireUser(app, cloud, params.user_id, param)
  if (email === null) return fail('APP_USER_INVALID', { why: reasons.noAddress }, param)
  const { type, redirect_to: redirectTo = null } = body
  const alongside = (tx: Tx) => auditUser(tx, context, { link: type, redirect_to: redirectTo })
  const made = await makeLink(app, cloud, { type, email, redirectTo, alongside })
  return {
    object: 'cloud.user_link',
    type,
    url: made.link,
    code: made.code,
    token_hash: made.token,
    redirect_to: made.redirectTo,
    expires_at: made.expiresAt.toISOString(),
  }
}

const toUser = (row: UserRow, nowMs: number): AppUser => ({
  object: 'cloud.user',
  id: row.user_id,
  email: row.email,
  is_anonymous: row.is_anonymous,
  email_confirmed_at: row.email_confirmed_at?.toISOString() ?? null,
  blocked: row.banned_until !== null && row.banned_until.getTime() > nowMs,
  blocked_until: row.banned_until?.toISOString() ?? null,
  user_metadata: row.user_metadata,
  app_metadata: row.app_metadata,
  last_sign_in_at: row.last_sign_in_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
})
