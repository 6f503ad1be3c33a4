/** A site as the API answers it. */
import type { Config } from '#platform/config'
import type { Language } from '#platform/errors'
import { limitsOf, problemPhrases, type ShownSite, siteUrl, type VersionRow } from '#sites/hosting'
import type { SitesApp } from './app.ts'
import type { Site, SiteDetail, Version } from './schema.ts'

/** The address of a site: its own domain, or the host of its slug. */
function addressOf(config: Config, { domain, slug }: ShownSite): string {
  const own = siteUrl(config, slug)
  return domain === null ? own : `${new URL(own).protocol}//${domain}`
}

export function toSite({ config }: Pick<SitesApp, 'config'>, language: Language, row: ShownSite): Site {
  const url = addressOf(config, row)
  return {
    object: 'site',
    id: row.site_id,
    name: row.name,
    slug: row.slug,
    cloud_id: row.cloud_id,
    status: row.status,
    url: row.status === 'ready' && row.taken_down_at === null ? url : null,
    domain: new URL(url).hostname,
    live:
      row.live_version === null
        ? null
        : {
            version: row.live_version,
            url,
            preview_url: siteUrl(config, row.live_preview!),
            published_at: row.live_at!.toISOString(),
          },
    version: row.newest_version,
    error: errorOf(row.error_code, language),
    spa: row.spa,
    files: row.files,
    bytes: Number(row.bytes),
    taken_down: row.taken_down_at !== null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

const errorOf = (code: string | null, language: Language) =>
  code === null ? null : { code, message: problemPhrases(code)[language] }

export function toDetail(
  app: Pick<SitesApp, 'config'>,
  language: Language,
  row: ShownSite & { versions: readonly VersionRow[] },
  { usage, day }: { usage: { requests: bigint; bytes: bigint }; day: string },
): SiteDetail {
  const limits = limitsOf(app.config.sites, row.limits)
  return {
    ...toSite(app, language, row),
    versions: row.versions.map((version) => toVersion(app.config, language, row, version)),
    usage: {
      day,
      requests: Number(usage.requests),
      bytes: Number(usage.bytes),
      max_requests: limits.dailyRequests,
      max_bytes: limits.dailyBytes,
    },
  }
}

const toVersion = (config: Config, language: Language, site: ShownSite, row: VersionRow): Version => ({
  version: row.version,
  status: row.status,
  live: row.version === site.live_version,
  preview_url: row.status === 'ready' ? siteUrl(config, row.preview) : null,
  error: errorOf(row.error_code, language),
  spa: row.spa,
  files: row.files,
  bytes: Number(row.bytes),
  created_at: row.created_at.toISOString(),
  ready_at: row.ready_at?.toISOString() ?? null,
  published_at: row.live_at?.toISOString() ?? null,
  expires_at: row.expires_at?.toISOString() ?? null,
})
