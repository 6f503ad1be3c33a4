/**
 * Published websites: files checked, stored by their content, versions that never change, and the one row that says which of them is live.
 * What is HTTP of it stands in `capabilities/sites`: the routes of the API, and what visitors get.
 */

export type { CheckBounds } from './check/check.ts'
export { checkErrors, publicationBytes, SiteChecks } from './check/check.ts'
export { mediaTypeOf } from './check/media-types.ts'
export { SiteCompressor } from './compress.ts'
export { parseHeaders } from './headers-file.ts'
export type { HeaderRule, Manifest, Redirect, SiteFile, Variant } from './manifest.ts'
export type { CheckedPublication, Pack, PublicationLimits, PublishedFile } from './publication.ts'
export { parseRedirects } from './redirects.ts'
export type { ParsedRules, RuleProblem } from './rules/lines.ts'
