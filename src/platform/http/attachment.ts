/**
 * Returns `Content-Disposition` for a file that is saved under a name in any script (RFC 6266): the name in UTF-8 (RFC 5987), and beside it a form
 * for old clients.
 */
export function attachment(fileName: string): string {
  const name = fileName.replace(turning, '')
  const plain = name.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_')
  const isPlain = plain === name
  return `attachment; filename="${plain}"${isPlain ? '' : `; filename*=UTF-8''${encoded(name)}`}`
}

/**
 * Characters that change the direction of the text after them (UAX 9): with one of them `…gnp.exe` is shown as `…exe.png`. Marks and joiners are
 * kept.
 */
const turning = /[\u202a-\u202e\u2066-\u2069]/g

/** Encodes a name. `attr-char` of RFC 5987 is narrower than what `encodeURIComponent` leaves unencoded. */
const encoded = (name: string): string =>
  encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
