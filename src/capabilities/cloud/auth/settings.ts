import type { App } from '#app'
import { countUsers, shortestPassword, webAddress } from '#engine/app-users'
import { announceCloud, type CloudRow, changeCloud, keyOf, limitsOf } from '#engine/clouds'
import { fail } from '#platform/errors'
import type { CloudContext } from '../clouds/create.ts'
import { lockReadyCloud, requireCloud } from '../require-cloud.ts'
import { reasons } from './phrases.ts'
import type { AuthBody, AuthSettings } from './schema.ts'

export async function readAuth({ app, caller, params }: CloudContext): Promise<AuthSettings> {
  return toSettings(app, await requireCloud(app, caller, params.id, { ready: true }))
}

/** As the contract has it, an omitted `disable_signup` is false. */
export async function changeAuth({
  app,
  body,
  caller,
  params,
}: CloudContext<AuthBody>): Promise<AuthSettings> {
  const found = await requireCloud(app, caller, params.id, { ready: true })
  const { additional_redirect_urls: more } = body
  const change = {
    site_url: readAddress(body.site_url, 'site_url'),
    disable_signup: body.disable_signup ?? false,
    ...(more && {
      additional_redirect_urls: more.map((one, at) => readAddress(one, `additional_redirect_urls.${at}`)),
    }),
    updated_at: new Date(app.clock.nowMs()),
  }
  const changed = await app.db.tx(async (tx) => {
    const cloud = await lockReadyCloud(tx, found)
    await changeCloud(tx, keyOf(cloud), change)
    await announceCloud(tx, keyOf(cloud), cloud.ref)
    return { ...cloud, ...change }
  })
  await app.clouds.refresh(keyOf(found))
  return toSettings(app, changed)
}

function readAddress(text: string, param: string): string {
  const url = webAddress(text.trim())
  if (!url) return fail('INVALID_REQUEST', { why: reasons.address }, { param })
  url.hash = ''
  return url.href
}

async function toSettings(app: App, row: CloudRow): Promise<AuthSettings> {
  return {
    object: 'cloud.auth',
    site_url: row.site_url,
    disable_signup: row.disable_signup,
    additional_redirect_urls: [...row.additional_redirect_urls],
    mail: app.mail ? 'configured' : 'not_configured',
    email_confirmation: app.mail !== undefined,
    password_min_length: shortestPassword,
    users: {
      used: await countUsers(app.db.kysely, keyOf(row)),
      limit: limitsOf(app.config.clouds, row.limits).users,
    },
  }
}
