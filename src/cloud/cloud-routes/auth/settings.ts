import { auditRequest } from '#account/audit'
import { countUsers, minPasswordLength, webAddress } from '#cloud/app-users'
import { announceCloud, type CloudRow, changeCloud, keyOf, limitsOf } from '#cloud/clouds'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import type { AuthRoutesApp } from '../app.ts'
import { type CloudContext, cloudTarget } from '../clouds/create.ts'
import { lockReadyCloud, requireCloud } from '../require-cloud.ts'
import { reasons } from './phrases.ts'
import { type AuthBody, type AuthSettings, maxAddressLength } from './schema.ts'

export async function readAuth({ app, caller, params }: CloudContext<AuthRoutesApp>): Promise<AuthSettings> {
  return toSettings(app, await requireCloud(app, caller, params.id, { ready: true }))
}

export async function changeAuth(context: CloudContext<AuthRoutesApp, AuthBody>): Promise<AuthSettings> {
  const { app, body, caller, params } = context
  const found = await requireCloud(app, caller, params.id, { ready: true })
  const change = readChange(body)
  const changed = await app.db.tx(async (tx) => {
    const cloud = await lockReadyCloud(tx, found)
    const after = await applyAuth(app, tx, cloud, change)
    await auditRequest(tx, context, {
      target: cloudTarget(cloud),
      before: auditedOf(cloud),
      after: auditedOf(after),
    })
    return after
  })
  await app.clouds.refresh(keyOf(found))
  return toSettings(app, changed)
}

const auditedOf = (row: CloudRow) => ({
  site_url: row.site_url,
  disable_signup: row.disable_signup,
  additional_redirect_urls: row.additional_redirect_urls,
  anonymous_sign_ins: row.anonymous_sign_ins,
})

/** The settings of a cloud about sign-in. */
export type AuthChange = Partial<
  Pick<CloudRow, 'site_url' | 'disable_signup' | 'additional_redirect_urls' | 'anonymous_sign_ins'>
>

/** Reads settings of sign-in. As the contract has it, an omitted `disable_signup` is false. Throws INVALID_REQUEST. */
export const readChange = ({
  site_url: site,
  disable_signup = false,
  additional_redirect_urls: more,
  anonymous_sign_ins: anonymous,
}: Omit<AuthBody, 'site_url'> & { site_url: string | null }): AuthChange => ({
  site_url: site === null ? null : readAddress(site, 'site_url'),
  disable_signup,
  ...(more && {
    additional_redirect_urls: more.map((one, at) => readAddress(one, `additional_redirect_urls.${at}`)),
  }),
  ...(anonymous !== undefined && { anonymous_sign_ins: anonymous }),
})

/** Changes a cloud that is locked and ready. */
export async function applyAuth(
  { clock }: Pick<AuthRoutesApp, 'clock'>,
  tx: Tx,
  cloud: CloudRow,
  settings: AuthChange,
): Promise<CloudRow> {
  const change = { ...settings, updated_at: new Date(clock.nowMs()) }
  await changeCloud(tx, keyOf(cloud), change)
  await announceCloud(tx, keyOf(cloud), cloud.ref)
  return { ...cloud, ...change }
}

function readAddress(text: string, param: string): string {
  const url = webAddress(text.trim())
  if (url) url.hash = ''
  // The bound is for the stored form, where each letter that is not Latin has become several.
  if (!url || url.href.length > maxAddressLength)
    return fail('INVALID_REQUEST', { why: reasons.address }, { param })
  return url.href
}

async function toSettings(app: AuthRoutesApp, row: CloudRow): Promise<AuthSettings> {
  return {
    object: 'cloud.auth',
    site_url: row.site_url,
    disable_signup: row.disable_signup,
    additional_redirect_urls: [...row.additional_redirect_urls],
    anonymous_sign_ins: row.anonymous_sign_ins,
    mail: app.mail ? 'configured' : 'not_configured',
    email_confirmation: app.mail !== undefined,
    password_min_length: minPasswordLength,
    users: {
      used: await countUsers(app.db.kysely, keyOf(row)),
      limit: limitsOf(app.config.clouds, row).users,
    },
  }
}
