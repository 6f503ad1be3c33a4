/** Publishes a site, or a new version of one. */

import { auditRequest } from '#account/audit'
import { acceptOnce } from '#core/calls'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import type { JsonText, RequestContext } from '#platform/http'
import { deletePendingBlobs, sourceOf, stageBlob } from '#platform/storage'
import {
  type CheckedPublication,
  checkSlug,
  insertSite,
  insertVersion,
  lockSite,
  namesOfPlatform,
  newPackKey,
  readSite,
  type SiteKey,
  type SiteRow,
  slugFrom,
  withSuffix,
} from '#sites/hosting'
import type { SitesApp } from './app.ts'
import { checkBody } from './check-body.ts'
import type { LinkedCloud } from './linked-clouds.ts'
import { reasons } from './phrases.ts'
import { requireSite, type SiteContext } from './read.ts'
import { toSite } from './show.ts'

/** How many other slugs are tried where the one that was made of the site's name is taken. */
const derivedTries = 4

export async function publishSite(context: RequestContext<SitesApp>): Promise<JsonText> {
  const { app, caller } = context
  await using publication = await checkBody(context)
  const cloud = await linkedCloudOf(context, publication)
  const own = namesOfPlatform(app.config.baseUrl)
  if (publication.slug !== undefined) checkSlug(publication.slug, own)
  return await acceptPublication(context, '/v1/sites', publication, async (tx, now) => {
    const { accountId, projectId } = caller
    await cloud?.lock(tx)
    const cloudId = cloud?.cloudId ?? null
    for (const slug of slugsFor(publication, own)) {
      const site = { accountId, projectId, cloudId, name: publication.name, slug }
      const inserted = await insertSite(app, tx, site, now)
      if (inserted) return inserted
    }
    const suggestion = withSuffix(publication.slug ?? '')
    return fail('SLUG_TAKEN', { suggestion }, { param: 'slug' })
  })
}

/** The app back-end that the site is published for; it has to be ready. */
const linkedCloudOf = async (
  { app, caller }: RequestContext<Pick<SitesApp, 'linkedClouds'>>,
  { cloudId }: CheckedPublication,
): Promise<LinkedCloud | undefined> =>
  cloudId === undefined ? undefined : app.linkedClouds.requireReady(caller, cloudId, 'cloud_id')

/** The slugs to try: only the requested one; without one, others follow where the first is taken. */
function* slugsFor({ name, slug }: CheckedPublication, own: readonly string[]): Generator<string> {
  const first = slug ?? slugFrom(name, own)
  yield first
  if (slug !== undefined) return
  for (let nth = 0; nth < derivedTries; nth++) yield withSuffix(first)
}

export async function publishVersion(context: SiteContext): Promise<JsonText> {
  const { app, caller, params } = context
  const found = await requireSite(app, caller, params.id)
  if (found.taken_down_at !== null) fail('SITE_TAKEN_DOWN', {})
  await using publication = await checkBody(context, found)
  if (publication.slug !== undefined && publication.slug !== found.slug)
    fail('INVALID_REQUEST', { why: reasons.slugStays }, { param: 'slug' })
  if (publication.cloudId !== undefined && publication.cloudId !== found.cloud_id)
    fail('INVALID_REQUEST', { why: reasons.cloudStays }, { param: 'cloud_id' })
  const siteKey: SiteKey = { accountId: found.account_id, siteId: found.site_id }
  return await acceptPublication(
    context,
    '/v1/sites/versions',
    publication,
    async (tx) => (await lockSite(tx, siteKey)) ?? fail('SITE_NOT_FOUND', {}, { param: 'id' }),
  )
}

/** Stores the bytes, and then in one transaction the site, its version, the job and the answer. */
async function acceptPublication(
  context: RequestContext<SitesApp>,
  endpoint: string,
  publication: CheckedPublication,
  siteOf: (tx: Tx, now: Date) => Promise<SiteRow>,
): Promise<JsonText> {
  const { app, caller, language } = context
  const packKey = publication.pack && newPackKey(caller.accountId)
  if (packKey !== undefined) await stageBlob(app, packKey, sourceOf(publication.pack!))
  const undo = async () => void (packKey !== undefined && (await deletePendingBlobs(app, [packKey])))
  const now = new Date(app.clock.nowMs())
  return acceptOnce(context, { endpoint, statusCode: 202, now, undo }, async (tx) => {
    const site = await siteOf(tx, now)
    await insertVersion(app, tx, site, { publication, packKey, now })
    const shown = await readSite(tx, { accountId: site.account_id, siteId: site.site_id })
    const { name, slug, cloud_id, newest_version: version } = shown
    await auditRequest(tx, context, {
      target: { kind: 'site', id: site.site_id },
      ...(site.live_version !== null && { before: { live: site.live_version } }),
      after: { name, slug, cloud_id, version },
    })
    return toSite(app, language, shown)
  })
}
