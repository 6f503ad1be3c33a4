/** The token of a link, which stands in the fragment of the address, so that no server on the way writes it down; undefined where it is no token. */
export function tokenOfPage(hash: string): string | undefined {
  const token = hash.replace(/^#/, '')
  return /^[\w-]{20,200}$/.test(token) ? token : undefined
}
