/** Sites as they are listed and shown. */
import type { Caller } from '#platform/auth'
import type { Db } from '#platform/db'
import { fail } from '#platform/errors'
import type { RequestContext } from '#platform/http'
import { isUuid } from '#platform/ids'
import { bareList, plainList } from '#platform/lists'
import {
  filesOf,
  findSite,
  findSiteWithVersions,
  listSites,
  type ShownSite,
  siteHost,
  usageOf,
  versionsOf,
} from '#sites/hosting'
import type { SitesApp } from './app.ts'
import type { FilesQuery, SiteDetail, SiteListQuery } from './schema.ts'
import { toDetail, toSite } from './show.ts'

export type SiteContext<Body = unknown, Query = unknown> = RequestContext<
  SitesApp,
  Body,
  Query,
  { id: string }
>
export type CloudSiteContext<Body = unknown> = RequestContext<
  SitesApp,
  Body,
  unknown,
  { id: string; siteId: string }
>

interface SiteLookup {
  cloudId?: string
  /** The path parameter that names the site. */
  param?: string
}

const findOrFail = async <Found>(
  { db }: Pick<SitesApp, 'db'>,
  { accountId, projectId }: Caller,
  siteId: string,
  { cloudId, param = 'id' }: SiteLookup,
  read: (db: Db, lookup: Parameters<typeof findSite>[1]) => Promise<Found | undefined>,
): Promise<Found> => {
  const isNamed = isUuid(siteId) && (cloudId === undefined || isUuid(cloudId))
  const found = isNamed ? await read(db, { accountId, projectId, siteId, cloudId }) : undefined
  return found ?? fail('SITE_NOT_FOUND', {}, { param })
}

/** A site of the caller's project; through a cloud, one of that cloud. Throws SITE_NOT_FOUND for a missing one and for another project's alike. */
export const requireSite = (
  app: Pick<SitesApp, 'db'>,
  caller: Caller,
  siteId: string,
  lookup: SiteLookup = {},
): Promise<ShownSite> => findOrFail(app, caller, siteId, lookup, findSite)

export const readSite = (context: SiteContext): Promise<SiteDetail> => detailOf(context, context.params.id)

export const readSiteOfCloud = (context: CloudSiteContext): Promise<SiteDetail> => {
  const { id: cloudId, siteId } = context.params
  return detailOf(context, siteId, { cloudId, param: 'siteId' })
}

async function detailOf(
  { app, caller, language }: Pick<RequestContext<SitesApp>, 'app' | 'caller' | 'language'>,
  siteId: string,
  lookup: SiteLookup = {},
): Promise<SiteDetail> {
  const row = await findOrFail(app, caller, siteId, lookup, findSiteWithVersions)
  // A client that reads here that a version is ready also gets it from this process.
  const known = app.sites.find(siteHost(app.config, row.slug))
  if (known?.version !== row.live_version)
    await app.sites.refresh({ accountId: row.account_id, siteId: row.site_id })
  const day = new Date(app.clock.nowMs()).toISOString().slice(0, 10)
  const usage = await usageOf(app.db, { accountId: row.account_id, siteId: row.site_id }, day)
  return toDetail(app, language, row, { usage, day })
}

export const listAll = async ({
  app,
  caller,
  query,
  language,
}: RequestContext<Pick<SitesApp, 'config' | 'db'>, unknown, SiteListQuery>) =>
  plainList.answer(await listSites(app.db, caller, query), (row) => toSite(app, language, row))

/** The files of the requested version; without one, of the newest that is ready. None where no version is ready yet. */
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
