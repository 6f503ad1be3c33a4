/** The domains that a site has for its own: claimed, shown, checked and given up. */
import { domainToASCII, domainToUnicode } from 'node:url'
import { type AuditTarget, auditRequest } from '#account/audit'
import { acceptOnce } from '#core/calls'
import { fail } from '#platform/errors'
import type { JsonText, RequestContext } from '#platform/http'
import { bareList } from '#platform/lists'
import {
  announceSite,
  checkDomain,
  checkPauseMs,
  type DomainRow,
  domainOf,
  limitsOf,
  lockSite,
  newToken,
  recordName,
  recordValue,
  siteHost,
  domainStore as store,
} from '#sites/hosting'
import type { SitesApp } from '../app.ts'
import { requireSite, type SiteContext } from '../read.ts'
import type { Domain, DomainBody } from './schema.ts'

type DomainContext = RequestContext<SitesApp, unknown, unknown, { id: string; domain: string }>

const keyOf = ({ caller, params }: Pick<SiteContext, 'caller' | 'params'>): store.SiteKey => ({
  accountId: caller.accountId,
  projectId: caller.projectId,
  siteId: params.id,
})

const noSite = (): never => fail('SITE_NOT_FOUND', {}, { param: 'id' })
const noDomain = (): never => fail('DOMAIN_NOT_FOUND', {}, { param: 'domain' })

/** The hosts of the platform, which nobody may claim. */
function ownHosts({ config }: Pick<SitesApp, 'config'>): string[] {
  const { domain, cloudDomain } = config.apps
  return [new URL(config.baseUrl).hostname, domain, cloudDomain].filter((host) => host !== undefined)
}

const toDomain = (row: DomainRow, target: string): Domain => ({
  object: 'site.domain',
  domain: row.domain,
  display: domainToUnicode(row.domain),
  state: row.state,
  record: { type: 'TXT', name: recordName(row.domain), value: recordValue(row.token) },
  target,
  proven_at: row.proven_at?.toISOString() ?? null,
  checked_at: row.checked_at?.toISOString() ?? null,
  missing_since: row.missing_since?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
})

/** The host of the site's slug, to which the domain leads. */
const targetOf = async ({
  app,
  caller,
  params,
}: Pick<SiteContext, 'app' | 'caller' | 'params'>): Promise<string> =>
  siteHost(app.config, (await requireSite(app, caller, params.id)).slug)

/** Claims a domain; a claim that exists is answered as it stands. */
export async function claimDomain(context: SiteContext<DomainBody>): Promise<JsonText> {
  const { app, body } = context
  const key = keyOf(context)
  const target = await targetOf(context)
  const domain = domainOf(body.domain, ownHosts(app))
  const now = new Date(app.clock.nowMs())
  return acceptOnce(context, { endpoint: '/v1/sites/domains', statusCode: 201, now }, async (tx) => {
    const site = (await lockSite(tx, key)) ?? noSite()
    const max = limitsOf(app.config.sites, site.limits).domains
    const domains = await store.domainsOf(tx, key)
    const known = domains.find((one) => one.domain === domain)
    if (!known && domains.length >= max) fail('TOO_MANY_DOMAINS', { max })
    const row = known ?? newRow(key, domain, now)
    if (!known) await store.insertDomain(tx, row)
    await auditRequest(tx, context, { target: siteTarget(key), after: { domain, state: row.state } })
    return toDomain(row, target)
  })
}

const siteTarget = ({ siteId }: store.SiteKey): AuditTarget => ({ kind: 'site', id: siteId })

const firstCheckMs = 60_000

const newRow = ({ accountId, siteId }: store.SiteKey, domain: string, now: Date): DomainRow => ({
  account_id: accountId,
  site_id: siteId,
  domain,
  token: newToken(),
  state: 'pending',
  proven_at: null,
  checked_at: null,
  missing_since: null,
  next_check_at: new Date(now.getTime() + firstCheckMs),
  created_at: now,
})

export async function listDomains(context: SiteContext) {
  const key = keyOf(context)
  const target = await targetOf(context)
  const rows = await store.domainsOf(context.app.db.kysely, key)
  return bareList.answer(rows, (row) => toDomain(row, target))
}

/** The claimed domain that the path names, however it is spelled. */
async function requireDomain(context: DomainContext): Promise<{ row: DomainRow; target: string }> {
  const key = keyOf(context)
  const target = await targetOf(context)
  const row = await store.findDomain(context.app.db, key, asciiOf(context.params.domain))
  return row ? { row, target } : noDomain()
}

const asciiOf = (typed: string): string => domainToASCII(typed.replace(/\.$/, ''))

/** Looks for the record now, instead of at the next round. */
export async function checkDomainNow(context: DomainContext) {
  const { app } = context
  const { row, target } = await requireDomain(context)
  const now = new Date(app.clock.nowMs())
  const since = new Date(now.getTime() - checkPauseMs)
  if (!(await store.takeCheck(app.db, row, { now, since })))
    fail('TOO_MANY_CHECKS', {}, { retryAfterMs: checkPauseMs })
  const checked = await checkDomain(app, { ...row, checked_at: now })
  await app.sites.refresh(keyOf(context))
  return checked ? toDomain(checked, target) : noDomain()
}

export async function deleteDomain(context: DomainContext) {
  const { row } = await requireDomain(context)
  const key = keyOf(context)
  await context.app.db.tx(async (tx) => {
    if (!(await store.deleteDomain(tx, key, row.domain))) return
    await announceSite(tx, key.accountId, key.siteId)
    const before = { domain: row.domain, state: row.state }
    await auditRequest(tx, context, { target: siteTarget(key), before })
  })
  await context.app.sites.refresh(key)
  return { object: 'site.domain' as const, domain: row.domain, deleted: true }
}
