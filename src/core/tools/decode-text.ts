/**
 * The text of a page in whatever charset it is written. As the HTML standard says: a byte order mark takes precedence, then the header, then what the
 * first bytes of the page declare. Without any of them the page is read as UTF-8, and where its bytes are not UTF-8, as Windows-1256: other
 * undeclared pages are in ASCII but for a few signs, old Persian pages are not.
 */
export function decodeText(bytes: Uint8Array, contentType: string): string {
  const label = markedCharset(bytes) ?? charsetOf(contentType) ?? declaredCharset(bytes)
  const declared = label === undefined ? undefined : decoderOf(label)
  if (declared) return declared.decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder(label === undefined ? 'windows-1256' : 'utf-8').decode(bytes)
  }
}

function markedCharset(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined
}

const charsetOf = (contentType: string): string | undefined =>
  /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1]

const inTag = /\bcharset\s*=\s*(?:["']\s*)?([^\s"'/>;]+)/i

/** The charset in `<meta charset=…>`, `<meta http-equiv=… content="…; charset=…">` or `<?xml … encoding="…"?>`. */
function declaredCharset(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 4_096))
  const tag = head.match(/<meta\b[^<>]*/gi)?.find((meta) => inTag.test(meta))
  const label =
    (tag && inTag.exec(tag)?.[1]) ?? /^\s*<\?xml\b[^>]*?\bencoding\s*=\s*["']([^"']+)/i.exec(head)?.[1]
  // A page whose declaration can be read as ASCII is not in UTF-16.
  return label && /^utf-?16/i.test(label) ? 'utf-8' : label
}

function decoderOf(label: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(label)
  } catch {
    return undefined
  }
}
