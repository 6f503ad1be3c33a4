/** Sites as they are listed and shown. */
import type { App, Caller } from '#app'
import { filesOf, findSite, listSites, type ShownSite, usageOf, versionsOf } from '#engine/sites'
import { fail } from '#platform/errors'
import type { RequestContext } from '#platform/http'
import { isUuid } from '#platform/ids'
import { bareList, plainList } from '#platform/lists'
import type { FilesQuery, ListQuery, SiteDetail } from './schema.ts'
import { toDetail, toSite } from './show.ts'

export type SiteContext<Body = unknown, Query = unknown> = RequestContext<Body, Query, { id: string }>
export type CloudSiteContext<Body = unknown> = RequestContext<Body, unknown, { id: string; siteId: string }>

/** A site of the caller's project; through a cloud, one of that cloud. Throws SITE_NOT_FOUND for a missing one and for another project's alike. */
export async function requireSite(
  { db }: Pick<App, 'db'>,
  { accountId, projectId }: Caller,
  siteId: string,
  { cloudId, param = 'id' }: { cloudId?: string; param?: string } = {},
): Promise<ShownSite> {
  const named = isUuid(siteId) && (cloudId === undefined || isUuid(cloudId))
  const found = named ? await findSite(db, { accountId, projectId, siteId, cloudId }) : undefined
  return found ?? fail('SITE_NOT_FOUND', {}, { param })
}

export const readSite = async (context: SiteContext): Promise<SiteDetail> =>
  detailOf(context, await requireSite(context.app, context.caller, context.params.id))

export const readSiteOfCloud = async (context: CloudSiteContext): Promise<SiteDetail> => {
  const { id: cloudId, siteId } = context.params
  return detailOf(
    context,
    await requireSite(context.app, context.caller, siteId, { cloudId, param: 'siteId' }),
  )
}

async function detailOf(
  { app, language }: Pick<RequestContext, 'app' | 'language'>,
  row: ShownSite,
): Promise<SiteDetail> {
  const siteKey = { accountId: row.account_id, siteId: row.site_id }
  const day = new Date(app.clock.nowMs()).toISOString().slice(0, 10)
  const [versions, usage] = await Promise.all([
    versionsOf(app.db.kysely, siteKey),
    usageOf(app.db, siteKey, day),
  ])
  return toDetail(app, language, row, { versions, usage, day })
}

export const listAll = async ({ app, caller, query, language }: RequestContext<unknown, ListQuery>) =>
  plainList.answer(await listSites(app.db, caller, query), (row) => toSite(app, language, row))

/** Of the version that is asked for. Without one, of the newest that is ready; none where there is none yet. */
export async function listFiles({ app, caller, params, query }: SiteContext<unknown, FilesQuery>) {
  const site = await requireSite(app, caller, params.id)
  const siteKey = { accountId: site.account_id, siteId: site.site_id }
  const ready = (await versionsOf(app.db.kysely, siteKey)).filter(({ status }) => status === 'ready')
  const wanted = query.version ?? ready[0]?.version
  if (wanted === undefined) return bareList.answer([], String)
  if (!ready.some(({ version }) => version === wanted))
    fail('SITE_VERSION_NOT_FOUND', { version: wanted }, { param: 'version' })
  return bareList.answer(await filesOf(app.db, { ...siteKey, version: wanted }), (file) => ({
    path: file.path,
    media_type: file.media_type,
    sha256: file.sha256,
    bytes: Number(file.bytes),
  }))
}
