/** A strict reader of the part of XML that drawings need. It refuses all declarations but the document type that editors write. */

/** Why a drawing is refused. */
export type SvgFault =
  | 'encoding'
  | 'syntax'
  | 'declaration'
  | 'size'
  | 'expansion'
  | 'empty'
  | 'busy'
  | 'time'
  | 'output'
  | 'broken'

export class SvgError extends Error {
  readonly fault: SvgFault
  constructor(fault: SvgFault) {
    super(`The SVG was refused: ${fault}.`)
    this.fault = fault
  }
}

/** `name` is undefined for an element of another namespace; attributes of other namespaces are left out, `xlink:href` is `href`. */
export interface SvgElement {
  name: string | undefined
  attributes: Map<string, string>
  children: (SvgElement | string)[]
}

export const svgNamespace = 'http://www.w3.org/2000/svg'
export const svgBounds = { bytes: 2 * 1024 * 1024, elements: 50_000, depth: 256, attributes: 128 }

/** Prefixes that generators use without declaring them. `xml` is bound by XML itself. */
const usualPrefixes = new Map([
  ['', svgNamespace],
  ['svg', svgNamespace],
  ['xlink', 'http://www.w3.org/1999/xlink'],
  ['xml', 'http://www.w3.org/XML/1998/namespace'],
])
type Prefixes = ReadonlyMap<string, string>

// XML 1.0, 2.2 and 2.3; names are matched at one place, so that no input is read twice.
const forbidden = /[^\t\n\r\u0020-\ufffd]/
const namePattern =
  /[A-Za-z_\u0080-\uffff][\w.\-\u0080-\uffff]*(?::[A-Za-z_\u0080-\uffff][\w.\-\u0080-\uffff]*)?/y
/** The document types of SVG 1.0 and 1.1 with their public identifiers, and the one without an identifier. */
const usualDocumentType =
  /<!DOCTYPE[ \t\r\n]{1,16}svg(?:[ \t\r\n]{1,16}PUBLIC[ \t\r\n]{1,16}"-\/\/W3C\/\/DTD SVG (?:1\.0|20010904|1\.1(?: (?:Basic|Tiny))?)\/\/EN"[ \t\r\n]{1,16}"https?:\/\/www\.w3\.org\/[\w./-]{1,128}")?[ \t\r\n]{0,16}>/y
const spacePattern = /[ \t\r\n]*/y

const firstBytes = 4_096

/** Whether the first bytes are those of a drawing, which only `cleanSvg` can tell for sure. */
export const looksLikeSvg = (bytes: Uint8Array): boolean =>
  /^\ufeff?\s*<(?:\?xml\s|!--|!DOCTYPE\s{1,16}svg|(?:\w{1,32}:)?svg[\s/>])/.test(
    new TextDecoder().decode(bytes.subarray(0, firstBytes)),
  )

/** The root element. Throws `SvgError` for input that is not UTF-8, not well-formed, declares anything, or is beyond a bound. */
export function parseSvg(bytes: Uint8Array): SvgElement {
  if (bytes.length > svgBounds.bytes) throw new SvgError('size')
  return new Parser(decoded(bytes)).read()
}

function decoded(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (!forbidden.test(text)) return text
  } catch {}
  throw new SvgError('encoding')
}

interface OpenElement {
  tag: string
  element: SvgElement
  prefixes: Prefixes
}

class Parser {
  readonly #text: string
  #at = 0
  #elements = 0
  #hasType = false
  #root: SvgElement | undefined
  readonly #open: OpenElement[] = []

  constructor(text: string) {
    this.#text = text
  }

  read(): SvgElement {
    if (/^<\?xml[ \t\r\n]/.test(this.#text.slice(0, 6))) this.#skipTo('?>')
    while (this.#at < this.#text.length) this.#readPiece()
    if (!this.#root || this.#open.length > 0) throw new SvgError('syntax')
    return this.#root
  }

  #readPiece(): void {
    const text = this.#text
    if (text[this.#at] !== '<') this.#readText()
    else if (text.startsWith('<!--', this.#at)) this.#skipTo('-->')
    else if (text.startsWith('<![CDATA[', this.#at)) {
      const from = this.#at + 9
      this.#skipTo(']]>')
      this.#addText(text.slice(from, this.#at - 3))
    } else if (text.startsWith('<!DOCTYPE', this.#at)) this.#skipDocumentType()
    else if (text[this.#at + 1] === '!' || text[this.#at + 1] === '?') throw new SvgError('declaration')
    else if (text[this.#at + 1] === '/') this.#readEnd()
    else this.#readStart()
  }

  #skipTo(end: string): void {
    const found = this.#text.indexOf(end, this.#at)
    if (found < 0) throw new SvgError('syntax')
    this.#at = found + end.length
  }

  /** Skips the document type that editors write. Any other is refused, like one with declarations inside: they may name files and entities. */
  #skipDocumentType(): void {
    usualDocumentType.lastIndex = this.#at
    if (this.#root || this.#hasType || !usualDocumentType.test(this.#text)) throw new SvgError('declaration')
    this.#hasType = true
    this.#at = usualDocumentType.lastIndex
  }

  #readText(): void {
    const end = this.#text.indexOf('<', this.#at)
    const from = this.#at
    this.#at = end < 0 ? this.#text.length : end
    this.#addText(unescaped(this.#text.slice(from, this.#at)))
  }

  #addText(text: string): void {
    const parent = this.#open.at(-1)
    if (parent) parent.element.children.push(text)
    else if (text.trim() !== '') throw new SvgError('syntax')
  }

  #readEnd(): void {
    this.#at += 2
    const tag = this.#readName()
    this.#skipSpace()
    this.#expect('>')
    if (this.#open.pop()?.tag !== tag) throw new SvgError('syntax')
  }

  #readStart(): void {
    this.#at += 1
    if (++this.#elements > svgBounds.elements) throw new SvgError('size')
    const tag = this.#readName()
    const written = this.#readAttributes()
    const parent = this.#open.at(-1)
    const prefixes = withDeclared(parent?.prefixes ?? usualPrefixes, written)
    const [prefix, local] = split(tag)
    const name = prefixes.get(prefix) === svgNamespace ? local : undefined
    const element: SvgElement = { name, attributes: resolveAttributes(written, prefixes), children: [] }
    if (parent) parent.element.children.push(element)
    else if (this.#root) throw new SvgError('syntax')
    else this.#root = element
    const single = this.#text[this.#at] === '/'
    if (single) this.#at += 1
    this.#expect('>')
    if (single) return
    this.#open.push({ tag, element, prefixes })
    if (this.#open.length > svgBounds.depth) throw new SvgError('size')
  }

  #readAttributes(): Map<string, string> {
    const written = new Map<string, string>()
    for (;;) {
      const spaced = this.#skipSpace()
      const next = this.#text[this.#at]
      if (next === '>' || next === '/') return written
      const name = this.#readName()
      if (!spaced || written.has(name)) throw new SvgError('syntax')
      this.#skipSpace()
      this.#expect('=')
      this.#skipSpace()
      written.set(name, this.#readValue())
      if (written.size > svgBounds.attributes) throw new SvgError('size')
    }
  }

  #readValue(): string {
    const quote = this.#text[this.#at]
    const end = quote === '"' || quote === "'" ? this.#text.indexOf(quote, this.#at + 1) : -1
    if (end < 0) throw new SvgError('syntax')
    const value = this.#text.slice(this.#at + 1, end)
    if (value.includes('<')) throw new SvgError('syntax')
    this.#at = end + 1
    return unescaped(value.replaceAll(/[\t\r\n]/g, ' '))
  }

  #readName(): string {
    namePattern.lastIndex = this.#at
    const found = namePattern.exec(this.#text)
    if (!found) throw new SvgError('syntax')
    this.#at = namePattern.lastIndex
    return found[0]
  }

  #skipSpace(): boolean {
    const from = this.#at
    spacePattern.lastIndex = from
    spacePattern.exec(this.#text)
    this.#at = spacePattern.lastIndex
    return this.#at > from
  }

  #expect(character: string): void {
    if (this.#text[this.#at] !== character) throw new SvgError('syntax')
    this.#at += 1
  }
}

function split(name: string): [prefix: string, local: string] {
  const colon = name.indexOf(':')
  return colon < 0 ? ['', name] : [name.slice(0, colon), name.slice(colon + 1)]
}

function withDeclared(prefixes: Prefixes, written: Map<string, string>): Prefixes {
  let own: Map<string, string> | undefined
  for (const [name, value] of written) {
    const [prefix, local] = split(name)
    const declared = name === 'xmlns' ? '' : prefix === 'xmlns' ? local : undefined
    if (declared === undefined || declared === 'xml' || prefixes.get(declared) === value) continue
    own ??= new Map(prefixes)
    own.set(declared, value)
    // Each element that declares prefixes has a copy of the map: without a bound, deep elements would copy ever longer maps.
    if (own.size > svgBounds.attributes) throw new SvgError('size')
  }
  return own ?? prefixes
}

function resolveAttributes(written: Map<string, string>, prefixes: Prefixes): Map<string, string> {
  const attributes = new Map<string, string>()
  for (const [name, value] of written) {
    const [prefix, local] = split(name)
    if (name === 'xmlns' || prefix === 'xmlns') continue
    if (prefix === '') attributes.set(name, value)
    else if (prefix === 'xml') attributes.set(name, value)
    else if (prefixes.get(prefix) === usualPrefixes.get('xlink') && local === 'href' && !written.has('href'))
      attributes.set('href', value)
  }
  return attributes
}

const predefined = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
])

function unescaped(text: string): string {
  if (!text.includes('&')) return text
  return text.replaceAll(/&([^;&]{0,12})(;?)/g, (_, name: string, end: string) => {
    const character = end === '' ? undefined : (predefined.get(name) ?? numbered(name))
    if (character === undefined) throw new SvgError('syntax')
    return character
  })
}

function numbered(name: string): string | undefined {
  const digits = /^#(?:x([0-9a-fA-F]{1,8})|(\d{1,8}))$/.exec(name)
  if (!digits) return undefined
  const code = digits[1] ? Number.parseInt(digits[1], 16) : Number(digits[2])
  const isCharacter = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
  const character = isCharacter ? String.fromCodePoint(code) : '\0'
  return forbidden.test(character) ? undefined : character
}
