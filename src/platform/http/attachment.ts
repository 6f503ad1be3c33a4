/**
 * `Content-Disposition` of a file to be saved under a name in any script (RFC 6266): the name in UTF-8 (RFC 5987), and beside it what
 * an old reader makes of it.
 */
export function attachment(stated: string): string {
  const name = stated.replace(turning, '')
  const plain = name.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_')
  const isPlain = plain === name
  return `attachment; filename="${plain}"${isPlain ? '' : `; filename*=UTF-8''${encoded(name)}`}`
}

/** Characters that turn the direction of what follows (UAX 9): with one of them `…gnp.exe` is shown as `…exe.png`. Marks and joiners stay. */
const turning = /[\u202a-\u202e\u2066-\u2069]/g

/** `attr-char` of RFC 5987 is narrower than what `encodeURIComponent` leaves as it is. */
const encoded = (name: string): string =>
  encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
