/** Finds what a path of a site leads to. Nothing here reads anything: only what stands in the manifest can be answered. */
import type { Manifest, Redirect, SiteFile } from './manifest.ts'
import { decodedSegment } from './rules/lines.ts'
import type { Redirects } from './rules/match.ts'

/** A version whose paths are looked up. */
export interface ResolvedVersion {
  manifest: Manifest
  redirects: Redirects
}

export interface RequestedPath {
  /** The path as it came, still percent-encoded and in ASCII, without query. */
  path: string
  /** The query with its question mark; empty if there is none. */
  query: string
  /** Whether a person navigates there: GET or HEAD, for text/html. */
  isNavigation: boolean
}

export type Resolution =
  /** `path` is that of the address, percent-decoded. */
  | { kind: 'file'; file: SiteFile; path: string }
  /** `absent`: the name of a file that this version does not have, where a rule leads elsewhere. */
  | { kind: 'redirect'; status: Redirect['status']; location: string; absent?: string }
  /** `index.html` under the path of an app that routes in the browser. */
  | { kind: 'fallback'; file: SiteFile; path: string; absent: string }
  /** `page`: the site's own 404.html. */
  | { kind: 'missing'; page: SiteFile | undefined; path: string; absent: string }
  /** The address is no path at all: percent signs that encode nothing, or no UTF-8. */
  | { kind: 'malformed' }

/**
 * Finds the file of a path; else the page of a folder, at its address with a slash at the end; else the page `path.html`. A page has one address:
 * `/blog/` for `blog/index.html`, `/about` for `about.html`, to which its other spellings are redirected. The site's redirects come after these, then
 * the app's `index.html`, then its 404.html.
 */
export function resolve(version: ResolvedVersion, request: RequestedPath): Resolution {
  const name = nameOf(request.path)
  if (name === undefined) return { kind: 'malformed' }
  const isFolder = request.path.endsWith('/')
  const { files } = version.manifest
  const path = isFolder && name !== '' ? `/${name}/` : `/${name}`
  if (name === impossibleName) return missing(version, request.path, '')
  if (isFolder) {
    const index = files.get(name === '' ? 'index.html' : `${name}/index.html`)
    if (index) return { kind: 'file', file: index, path }
    if (files.has(`${name}.html`) && !files.has(name)) return redirectToCanonical(name, request.query)
    return resolveWithoutFile(version, request, name, path)
  }
  const file = files.get(name)
  if (file) {
    const page = pageOf(name, files)
    return page === undefined ? { kind: 'file', file, path } : redirectToCanonical(page, request.query)
  }
  if (files.has(`${name}/index.html`)) return redirectToCanonical(`${name}/`, request.query)
  const page = files.get(`${name}.html`)
  return page ? { kind: 'file', file: page, path } : resolveWithoutFile(version, request, name, path)
}

/** Stands for paths with segments that no file of a site has; no name begins with a slash. */
const impossibleName = '/'

/** The path without slashes at its ends, percent-decoded exactly once and in NFC; undefined if it is malformed. */
function nameOf(path: string): string | undefined {
  const end = path.length > 1 && path.endsWith('/') ? path.length - 1 : path.length
  const written = path.slice(1, end)
  if (isPlain.test(written)) return written
  if (path === '/') return ''
  const names: string[] = []
  for (const segment of written.split('/')) {
    const name = decodedSegment(segment)
    if (name === undefined) return undefined
    // An encoded slash does not separate segments, and dots are an attempt to leave the site.
    if (name === '' || name === '.' || name === '..' || /[/\\\p{Cc}]/u.test(name)) return impossibleName
    names.push(name)
  }
  return names.join('/')
}

/** A path in which nothing has to be decoded or checked, as in most. */
const isPlain =
  /^(?:[\w~!$&'()*+,;=:@-][\w~!$&'()*+,;=:@.-]*(?:\/[\w~!$&'()*+,;=:@-][\w~!$&'()*+,;=:@.-]*)*)$/

/** The address of a page that was asked for by the name of its file. */
function pageOf(name: string, files: Manifest['files']): string | undefined {
  if (name === 'index.html') return ''
  if (name.endsWith('/index.html')) return name.slice(0, -'index.html'.length)
  if (!name.endsWith('.html')) return undefined
  const bare = name.slice(0, -'.html'.length)
  return files.has(bare) || files.has(`${bare}/index.html`) ? undefined : bare
}

const redirectToCanonical = (name: string, query: string): Resolution => ({
  kind: 'redirect',
  status: 308,
  location: `/${encoded(name)}${query}`,
})

const encoded = (name: string): string => encodeURI(name).replace(/[?#]/g, encodeURIComponent)

function resolveWithoutFile(
  version: ResolvedVersion,
  request: RequestedPath,
  name: string,
  path: string,
): Resolution {
  const { manifest, redirects } = version
  const match = redirects.match(`/${name}`)
  const location = match && locationOf(match.rule.to, match.splat, request.query)
  if (match && location !== undefined && location.split(/[?#]/, 1)[0] !== encoded(path))
    return { kind: 'redirect', status: match.rule.status, location, absent: name }
  const index = manifest.files.get('index.html')
  const last = name.slice(name.lastIndexOf('/') + 1)
  if (manifest.spa && request.isNavigation && index && !last.includes('.'))
    return { kind: 'fallback', file: index, path, absent: name }
  return missing(version, path, name)
}

const missing = ({ manifest }: ResolvedVersion, path: string, absent: string): Resolution => ({
  kind: 'missing',
  page: manifest.files.get('404.html'),
  path,
  absent,
})

/** The location of a redirect. The visitor's query is passed on, unless the rule has one. */
function locationOf(to: string, splat: string, query: string): string {
  // An empty splat must not leave two slashes at the beginning: that would be another host.
  const place = to.replaceAll(':splat', () => encoded(splat)).replace(/^\/+/, '/')
  if (query === '' || place.includes('?')) return place
  const hash = place.indexOf('#')
  const end = hash === -1 ? place.length : hash
  return place.slice(0, end) + query + place.slice(end)
}
