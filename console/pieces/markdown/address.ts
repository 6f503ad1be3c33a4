/** What may be done with an address that a model wrote. */

export interface Address {
  /** As the browser would call it: the host in ASCII, everything unseen as %XX. */
  href: string
  /** The parts of `href`: the host is set apart, so that nothing before or after it passes for it. */
  before: string
  host: string
  after: string
  /** The host as written, where its letters are Persian or Arabic alone; other scripts have letters that pass for Latin ones. */
  name: string | undefined
  /** What follows the host with its letters decoded and its unseen signs named, where that differs. */
  readable: string | undefined
}

/** An address of http or https at another origin than `own`; undefined for everything else, which is shown as a text. */
export function readAddress(written: string, own: string): Address | undefined {
  if (!/^https?:\/\//i.test(written) || written.length > 4_000 || !URL.canParse(written)) return undefined
  const url = new URL(written)
  if (url.origin === own || url.host === '') return undefined
  const at = url.href.indexOf(url.host, url.protocol.length + 2 + userLength(url))
  const after = url.href.slice(at + url.host.length)
  const readable = decode(after)
  return {
    href: url.href,
    before: url.href.slice(0, at),
    host: url.host,
    after,
    name: persianHost(written),
    readable: readable === after ? undefined : readable,
  }
}

const userLength = ({ username, password }: URL): number =>
  username === '' && password === '' ? 0 : `${username}${password === '' ? '' : `:${password}`}@`.length

/** Within a label, the rules of hosts allow no Latin letters beside those from right to left. */
function persianHost(written: string): string | undefined {
  const host = /^https?:\/\/(?:[^/?#\\]*@)?([^/?#:\\@]+)/i.exec(written)?.[1] ?? ''
  const isPersian = /^[\p{Script=Arabic}\u200c\d.a-z-]+$/u.test(host) && /\p{Script=Arabic}/u.test(host)
  return isPersian ? host : undefined
}

function decode(text: string): string {
  try {
    return visible(decodeURIComponent(text))
  } catch {
    return text
  }
}

/** Signs that are not seen or that turn what stands after them become their numbers. */
export const visible = (text: string): string =>
  text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Default_Ignorable_Code_Point}]/gu,
    (sign) => `‹U+${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}›`,
  )

/** The form by which addresses are compared. */
export const comparableAddress = (written: string): string | undefined =>
  URL.canParse(written) ? new URL(written).href : undefined

/** An address that was found in a sentence ends before the Persian signs that follow it. */
export const withoutTail = (written: string): string => written.replace(/[،؛؟»«…]+$/u, '')
