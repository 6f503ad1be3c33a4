/**
 * Published websites: checked files stored by their content, versions that never change, and which version is live
 * (docs/decisions/sites/publications.md). Their HTTP is in `sites/site-routes`: the routes of the API, and what visitors get.
 */
import './errors.ts'
import './phrases.ts'

export { insertSite, insertVersion, maxPublishing, type NewSite, newPackKey } from './accept.ts'
export { siteHost, siteUrl } from './address.ts'
export { openSiteAllowances, type SiteAllowance, type SiteAllowances } from './allowance.ts'
export type { HostingApp } from './app.ts'
export type { CheckBounds } from './check/check.ts'
export { checkErrors, publicationBytes, SiteChecks } from './check/check.ts'
export { mediaTypeByName } from './check/media-types.ts'
export { checkDomain, checkDueDomains, checkPauseMs } from './check-domain.ts'
export { SiteCompressor } from './compress.ts'
export { filesOf, keptContents } from './content-store.ts'
export { deleteSite } from './delete.ts'
export {
  announceSite,
  type FoundSite,
  openSiteDirectory,
  type SiteDirectory,
} from './directory.ts'
export { domainOf, newToken, recordName, recordValue } from './domain.ts'
export type { DomainRow } from './domain-store.ts'
export * as domainStore from './domain-store.ts'
export { sweepSites } from './expire.ts'
export { isHashed, mayBeHashed } from './hashed.ts'
export { parseHeaders } from './headers-file.ts'
export { sitesHolding } from './holding.ts'
export { limitsOf, type SiteLimits } from './limits.ts'
export { rollBack } from './live.ts'
export type { HeaderRule, Manifest, Redirect, SiteFile, Variant } from './manifest.ts'
export { checkSlug, namesOfPlatform, newPreview, slugFrom, withSuffix } from './names.ts'
export { problemPhrases } from './phrases.ts'
export type { CheckedPublication, Pack, PublicationLimits, PublishedFile } from './publication.ts'
export { publishJob } from './publish.ts'
export { readManifest } from './read-manifest.ts'
export { parseRedirects } from './redirects.ts'
export { type RequestedPath, type Resolution, resolve } from './resolve.ts'
export type { ParsedRules, RuleProblem } from './rules/lines.ts'
export { headersFor, Redirects } from './rules/match.ts'
export { readStaleFiles, type StaleFile } from './stale-files.ts'
export {
  countSitesOfCloud,
  findAnySite,
  findSite,
  findSiteWithVersions,
  listAllSites,
  listSites,
  lockSite,
  readSite,
  type ShownSite,
  type SiteKey,
  type SiteRow,
  sitesOfCloud,
  usageOf,
} from './store.ts'
export { restore, setLimits, takeDown } from './takedown.ts'
export { type VersionKey, type VersionRow, versionsOf } from './version-store.ts'
