import { unzipSync } from 'fflate'
import { excerpt } from './excerpt.ts'
import { cleanText } from './tidy.ts'
import type { PageWork, ReadPage } from './web-fetch.ts'

/** Maximum decompressed bytes of one part; a text of 4 MB needs this much XML. */
const maxBytes = 64 * 1024 * 1024
const parts = ['word/document.xml', 'word/footnotes.xml', 'word/styles.xml', 'docProps/core.xml'] as const
type DocxPart = (typeof parts)[number]

/**
 * Title and text of a Word file as Markdown, in the order of the document: headings, paragraphs, rows of tables, notes at the end. Tags are read one
 * by one and entities are never resolved. Empty for bytes that are no Word file. Only for a confined process.
 */
export function readDocx({ bytes, maxBytes }: PageWork): ReadPage {
  const files = unpacked(bytes)
  if (!files['word/document.xml']) return { title: '', text: '', cut: false }
  const levels = headingStyles(files['word/styles.xml'] ?? '')
  const body = textOf(files['word/document.xml'], levels)
  const notes = textOf(files['word/footnotes.xml'] ?? '', levels)
  const { text, cut } = excerpt(cleanText(notes === '' ? body : `${body}\n\n${notes}`), maxBytes)
  const title = /<dc:title[^>]{0,200}>([^<]{0,1000})</.exec(files['docProps/core.xml'] ?? '')?.[1] ?? ''
  return { title: cleanText(plain(title)).replace(/\s+/g, ' ').slice(0, 300), text, cut }
}

function unpacked(bytes: Uint8Array): Partial<Record<DocxPart, string>> {
  const seen = new Set<string>()
  const wanted = ({ name, originalSize }: { name: string; originalSize: number }): boolean => {
    if (!parts.includes(name as DocxPart) || seen.has(name)) return false
    seen.add(name)
    // The declared size is also the buffer size: a ZIP bomb with a false size is cut or fails here.
    if (originalSize > maxBytes) throw new RangeError('A part of the file is too large.')
    return true
  }
  const files = unzipSync(bytes, { filter: wanted })
  const texts = Object.entries(files).map(([name, part]) => [name, new TextDecoder().decode(part)] as const)
  // No word processor writes a DOCTYPE; custom entities are only used for attacks.
  for (const [name, text] of texts)
    if (/<!(?:DOCTYPE|ENTITY)/i.test(text)) throw new Error(`${name} declares a type.`)
  return Object.fromEntries(texts)
}

interface Tag {
  name: string
  /** The value of the attribute w:val. */
  value: string | undefined
  opens: boolean
  closes: boolean
  text: string
}

/** Tags, and the text before each, in one pass. */
function* tagsOf(xml: string): Generator<Tag> {
  for (let at = 0; ; ) {
    const start = xml.indexOf('<', at)
    const end = start < 0 ? -1 : xml.indexOf('>', start)
    if (end < 0) return
    const inner = xml.slice(start + 1, Math.min(end, start + 2_000))
    const name = /^\/?([\w:.-]{1,60})/.exec(inner)?.[1] ?? ''
    const isEnd = inner.startsWith('/')
    yield {
      name,
      value: /\sw:(?:val|styleId)="([^"]{0,200})"/.exec(inner)?.[1],
      opens: !isEnd,
      closes: isEnd || xml[end - 1] === '/',
      text: xml.slice(at, start),
    }
    at = end + 1
  }
}

/** The ids of heading styles with their levels; in Word of another language they have other ids, and the same names. */
function headingStyles(xml: string): Map<string, number> {
  const levels = new Map<string, number>()
  let style: string | undefined
  for (const { name, value, opens } of tagsOf(xml)) {
    if (name === 'w:style') style = opens ? value : undefined
    const level = name === 'w:name' ? /^(?:heading ([1-6])|title)$/i.exec(value ?? '') : null
    if (level && style !== undefined) levels.set(style, Number(level[1] ?? 1))
  }
  return levels
}

/** What each tag puts into the text. */
const signs: Record<string, string> = { 'w:tab': '\t', 'w:br': '\n', 'w:cr': '\n', 'w:noBreakHyphen': '-' }

function textOf(xml: string, levels: ReadonlyMap<string, number>): string {
  const paragraphs: string[] = []
  let [open, level, inText, inTable, fallbacks] = ['', 0, false, 0, 0]
  for (const { name, value, opens, closes, text } of tagsOf(xml)) {
    if (inText && fallbacks === 0) open += plain(text)
    inText = name === 'w:t' && opens && !closes
    // The same content again, for old programs.
    if (name === 'mc:Fallback' && !(opens && closes)) fallbacks += opens ? 1 : -1
    if (name === 'w:tbl') inTable += opens ? 1 : -1
    if (name === 'w:pStyle') level = levels.get(value ?? '') ?? level
    if (name === 'w:outlineLvl' && Number(value) < 6) level = Number(value) + 1
    if (opens && fallbacks === 0) open += signs[name] ?? ''
    if (name === 'w:tc' && closes) open = `${open.trimEnd()} | `
    const ends = inTable > 0 ? name === 'w:tr' : name === 'w:p'
    if (inTable > 0 && name === 'w:p' && closes) open = `${open.trimEnd()} `
    if (!ends || !closes) continue
    const line = open.replace(/(?<![ |])[ |]+$/, '').trim()
    if (line !== '')
      paragraphs.push(level > 0 && inTable === 0 ? `${'#'.repeat(Math.min(level, 6))} ${line}` : line)
    open = ''
    level = 0
  }
  return [...paragraphs, open.trim()].filter((paragraph) => paragraph !== '').join('\n\n')
}

const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Text without its entities: the five of XML and those that name a character; others stay as they are written. */
const plain = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (all, decimal, hex, name) => {
    if (name !== undefined) return named[String(name).toLowerCase()]!
    const code = Number.parseInt(decimal ?? hex, decimal ? 10 : 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : all
  })
