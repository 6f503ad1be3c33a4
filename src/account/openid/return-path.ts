/** The page to which a person returns after a sign-in: a path of this very origin and nothing else. */

const maxLength = 1_000
/** Any origin does, since only whether the path leaves it is looked at. */
const here = 'http://here.invalid'

/**
 * The path as the browser may be sent to it; undefined for what could lead to another origin, now or when somebody decodes it once more: `//evil`,
 * `/\evil`, `https:evil`, `/%2f%2fevil`, `/.//evil`, and whatever holds control characters.
 */
export function returnPath(text: string): string | undefined {
  if (text.length > maxLength || !isOwnPath(text) || !URL.canParse(text, here)) return undefined
  // Dots are resolved by now: `/a/..//evil` has become `//evil`.
  const { origin, pathname, search, hash } = new URL(text, here)
  const decoded = decodedFully(pathname)
  if (origin !== here || decoded === undefined || !isOwnPath(decoded)) return undefined
  return decoded.includes('//') ? undefined : pathname + search + hash
}

/** Browsers read a backslash as a slash, and leave out tabs and ends of lines before they look at an address. */
const isOwnPath = (text: string): boolean =>
  text.startsWith('/') && !text.startsWith('//') && !text.includes('\\') && !/\p{C}/u.test(text)

/** The text after its escapes are resolved, and those that they make; undefined where an escape is malformed, or they do not end. */
function decodedFully(text: string): string | undefined {
  try {
    let before = text
    for (let round = 0; round < 4; round++) {
      const after = decodeURIComponent(before)
      if (after === before) return after
      before = after
    }
    return undefined
  } catch {
    return undefined
  }
}
