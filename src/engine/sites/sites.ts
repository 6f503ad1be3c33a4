/**
 * Published websites: files checked, stored by their content, versions that never change, and the one row that says which of them is live.
 * What is HTTP of it stands in `capabilities/sites`: the routes of the API, and what visitors get.
 */
export { Allowances, type AllowanceSource, type SiteAllowance } from './allowance.ts'
export { checkDomain, checkDueDomains, checkPauseMs } from './check-domain.ts'
export {
  announceSite,
  type DirectoryOptions,
  type FoundSite,
  openSiteDirectory,
  type SiteDirectory,
} from './directory.ts'
export { domainOf, newToken, recordName, recordValue } from './domain.ts'
export type { DomainRow } from './domain-store.ts'
export * as domainStore from './domain-store.ts'
export { isHashed } from './hashed.ts'
export { parseHeaders } from './headers-file.ts'
export type { HeaderRule, Manifest, Redirect, SiteFile, Variant } from './manifest.ts'
export { checkSlug, newPreview, previewPrefix, slugFrom, withSuffix } from './names.ts'
export type { CheckedPublication, Pack, PublicationLimits, PublishedFile } from './publication.ts'
export { parseRedirects } from './redirects.ts'
export type { ParsedRules, RuleProblem } from './rules/lines.ts'
export { headersFor, Redirects } from './rules/match.ts'
export { type AskedPath, type Resolution, resolve } from './resolve.ts'
export { readStaleFiles, type StaleFile } from './stale-files.ts'
