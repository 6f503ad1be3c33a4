/** Streaming reader for the XML of spreadsheets: elements and their text, nothing else. */

export interface XmlEvents {
  /** `tag` is the text between the brackets, which `attribute` reads. */
  open?(name: string, tag: string): void
  text?(text: string): void
  close?(name: string): void
}

/** The most characters of an incomplete tag or text; a longer one is dropped. */
const maxToken = 1 << 20

export class XmlReader {
  readonly #events: XmlEvents
  #left = ''

  constructor(events: XmlEvents) {
    this.#events = events
  }

  push(piece: string): void {
    const text = this.#left + piece
    let at = 0
    while (at < text.length) {
      const start = text.indexOf('<', at)
      if (start < 0) break
      if (start > at) this.#events.text?.(text.slice(at, start))
      const end = endOfTag(text, start)
      if (end < 0) {
        at = start
        break
      }
      this.#tag(text.slice(start + 1, end))
      at = end + 1
    }
    const left = text.slice(at)
    // Text between tags is emitted when the next tag has arrived.
    this.#left = left.length > maxToken ? '' : left
  }

  #tag(tag: string): void {
    const first = tag.charCodeAt(0)
    // Declarations and comments.
    if (first === 63 || first === 33) {
      if (tag.startsWith('![CDATA[')) this.#events.text?.(tag.slice(8, -2).replaceAll('&', '&amp;'))
      return
    }
    if (first === 47) {
      this.#events.close?.(nameOf(tag.slice(1)))
      return
    }
    const name = nameOf(tag)
    this.#events.open?.(name, tag)
    if (tag.endsWith('/')) this.#events.close?.(name)
  }
}

function endOfTag(text: string, start: number): number {
  if (text.startsWith('<![CDATA[', start)) {
    const end = text.indexOf(']]>', start)
    return end < 0 ? -1 : end + 2
  }
  if (text.startsWith('<!--', start)) {
    const end = text.indexOf('-->', start)
    return end < 0 ? -1 : end + 2
  }
  return text.indexOf('>', start)
}

/** The name of an element without its prefix: `row` for `x:row`. */
function nameOf(tag: string): string {
  let end = 0
  let from = 0
  for (; end < tag.length; end += 1) {
    const code = tag.charCodeAt(end)
    if (code === 58) from = end + 1
    else if (code === 32 || code === 47 || code === 9 || code === 10 || code === 13) break
  }
  return tag.slice(from, end)
}

/** The value of an attribute, unescaped. */
export function attribute(tag: string, name: string): string | undefined {
  for (const quote of ['"', "'"]) {
    const key = `${name}=${quote}`
    for (let at = tag.indexOf(key); at >= 0; at = tag.indexOf(key, at + 1)) {
      if (!' \t\n\r'.includes(tag[at - 1] ?? '')) continue
      const start = at + key.length
      const end = tag.indexOf(quote, start)
      return end < 0 ? undefined : unescaped(tag.slice(start, end))
    }
  }
  return undefined
}

const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

export function unescaped(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos));/g,
    (_, decimal, hex, name) => {
      if (name !== undefined) return named[name as string]!
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
      return code <= 0x10ffff ? String.fromCodePoint(code) : ''
    },
  )
}

/** Decodes `_x000D_` and the like, by which the format spells characters that XML cannot contain. */
export const decodedEscapes = (text: string): string =>
  text.includes('_x')
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text
