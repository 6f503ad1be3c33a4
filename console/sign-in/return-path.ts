import { tokenOfPage } from './token.ts'

/**
 * Where a person goes after the sign-in: the path that they wanted, if it is one of this very origin; otherwise Home. The token of a link stands in the
 * fragment of the page of sign-in, and goes along to the page of the link.
 */
export function returnPath({ search, hash, origin }: Pick<Location, 'search' | 'hash' | 'origin'>): string {
  const wanted = new URLSearchParams(search).get('return_to')
  if (wanted === null) return '/'
  const path = ownPath(wanted, origin)
  return path === '/link' && tokenOfPage(hash) !== undefined ? path + hash : path
}

/** The path of an address of this origin with its query and fragment; `/` for any other text. */
export function ownPath(wanted: string, origin: string): string {
  // A browser reads a backslash as a slash, and leaves out tabs and line ends: such a text is never a path of ours.
  if (!wanted.startsWith('/') || /[\\\p{Cc}]/u.test(wanted) || !URL.canParse(wanted, origin)) return '/'
  const url = new URL(wanted, origin)
  const path = url.pathname + url.search + url.hash
  // A path with two slashes at its beginning would be read as another host.
  return url.origin === origin && !path.startsWith('//') && !path.startsWith('/sign-in') ? path : '/'
}
