/** What is done to a site beside publishing: going back, and deleting it. */
import { auditRequest } from '#account/audit'
import { acceptOnce } from '#core/calls'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import type { JsonText, RequestContext } from '#platform/http'
import { deletePendingBlobs } from '#platform/storage'
import { deleteSite, lockSite, readSite, rollBack, type ShownSite } from '#sites/hosting'
import type { SitesApp } from './app.ts'
import { reasons } from './phrases.ts'
import { type CloudSiteContext, requireSite, type SiteContext } from './read.ts'
import type { DeleteBody, RollbackBody } from './schema.ts'
import { toSite } from './show.ts'

/** The site, locked until the transaction ends. Throws SITE_NOT_FOUND where it was deleted meanwhile. */
const lock = async (tx: Tx, { account_id: accountId, site_id: siteId }: ShownSite) =>
  (await lockSite(tx, { accountId, siteId })) ?? fail('SITE_NOT_FOUND', {}, { param: 'id' })

export async function rollBackSite(context: SiteContext<RollbackBody>): Promise<JsonText> {
  const { app, body, language } = context
  const found = await requireSite(app, context.caller, context.params.id)
  const now = new Date(app.clock.nowMs())
  const answer = await acceptOnce(
    context,
    { endpoint: '/v1/sites/rollback', statusCode: 200, now },
    async (tx) => {
      const site = await lock(tx, found)
      await rollBack(app, tx, site, { version: body.version, now })
      const shown = await readSite(tx, { accountId: site.account_id, siteId: site.site_id })
      const change = { before: { live: site.live_version }, after: { live: shown.live_version } }
      await auditRequest(tx, context, { target: { kind: 'site', id: site.site_id }, ...change })
      return toSite(app, language, shown)
    },
  )
  await app.sites.refresh({ accountId: found.account_id, siteId: found.site_id })
  return answer
}

export async function removeSite(context: SiteContext<DeleteBody>) {
  const found = await requireSite(context.app, context.caller, context.params.id)
  if (found.cloud_id !== null) fail('SITE_OF_CLOUD', { cloudId: found.cloud_id })
  return remove(context, found)
}

export async function removeSiteOfCloud(context: CloudSiteContext<DeleteBody>) {
  const { id: cloudId, siteId } = context.params
  return remove(context, await requireSite(context.app, context.caller, siteId, { cloudId, param: 'siteId' }))
}

async function remove(context: RequestContext<SitesApp, DeleteBody>, found: ShownSite) {
  const { app, body } = context
  const packs = await app.db.tx(async (tx) => {
    const site = await lock(tx, found)
    if (body.confirm !== site.name) fail('INVALID_REQUEST', { why: reasons.otherName }, { param: 'confirm' })
    const { name, slug, live_version: live } = site
    await auditRequest(tx, context, {
      target: { kind: 'site', id: site.site_id },
      before: { name, slug, live },
    })
    return deleteSite(app, tx, site)
  })
  await app.sites.refresh({ accountId: found.account_id, siteId: found.site_id })
  await deletePendingBlobs(app, packs).catch((error: unknown) =>
    app.log.warn({ err: error, account_id: found.account_id }, 'bytes of a site are deleted later'),
  )
  return { object: 'site', id: found.site_id, name: found.name, status: 'deleting' }
}
