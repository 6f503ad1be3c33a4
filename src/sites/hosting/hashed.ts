/**
 * Whether a path names its content, as build tools name it: other content has another path, so a browser may keep the file for good. In doubt the
 * answer is false: a file that is requested again costs a 304, one that is kept wrongly is never corrected. A word with a number at its end
 * (`photo-summer2024.jpg`) is no hash.
 */
export function isHashed(path: string): boolean {
  if (/\.html?$/i.test(path)) return false
  // SvelteKit, Next.js and Astro promise this for all files in these folders.
  if (/(?:^|\/)(?:_app\/immutable|_next\/static|_astro)\//.test(path)) return true
  const name = path.slice(path.lastIndexOf('/') + 1)
  // A name such as `main.3f2a1b4c.js`, with 8 to 64 digits.
  const hexadecimal = /(?:^|[.-])([0-9a-f]{8,64})\.[\w.]{1,20}$/.exec(name)?.[1]
  if (hexadecimal !== undefined) return kindChangeCount(hexadecimal) >= 2
  const possibleHash = possibleHashIn(name)
  return possibleHash !== undefined && kindChangeCount(possibleHash) >= 4
}

/**
 * Whether tabs that opened an earlier version may still request this path, which only that version had. One hash of five looks much like a word, and
 * missing code breaks the tab, so in doubt the answer is true; not for pictures, documents and data: whoever leaves them out of a version wants them
 * gone.
 */
export function mayBeHashed(path: string): boolean {
  if (isHashed(path)) return true
  const possibleHash = isCode.test(path) ? possibleHashIn(path.slice(path.lastIndexOf('/') + 1)) : undefined
  return possibleHash !== undefined && kindChangeCount(possibleHash) >= 1
}

const isCode = /\.(?:m?js|css|wasm|woff2?)(?:\.map)?$/i

/** The eight characters of `index-DiwrgTda.js` of Rollup and Vite, `app-5XJ3K2QZ.css` of esbuild; or a word of that length. */
const possibleHashIn = (name: string): string | undefined => /[.-]([\w-]{8})\.[\w.]{1,20}$/.exec(name)?.[1]

/** How often the kind of character changes from one to the next. */
function kindChangeCount(text: string): number {
  let changes = 0
  for (let at = 1; at < text.length; at++)
    if (characterKind(text, at) !== characterKind(text, at - 1)) changes++
  return changes
}

function characterKind(text: string, at: number): number {
  const character = text.charCodeAt(at)
  if (character >= 0x30 && character <= 0x39) return 0
  if (character >= 0x61 && character <= 0x7a) return 1
  return character >= 0x41 && character <= 0x5a ? 2 : 3
}
