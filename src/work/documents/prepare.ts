import { normaliseHeadingLevels } from './levels.ts'
import type {
  Alignment,
  Cell,
  DocumentBlock,
  DocumentSource,
  Heading,
  Inline,
  Language,
  TableBlock,
  TextDocument,
  TextRun,
} from './model.ts'
import { plainText } from './model.ts'
import { pagePhrases } from './phrases.ts'
import { safeLink } from './safe-link.ts'

/** A document ready for the writers: every reference resolves, and its text contains only characters that the formats allow. */
export interface PreparedDocument extends Omit<TextDocument, 'footnotes' | 'sources' | 'blocks'> {
  blocks: DocumentBlock[]
  /** The footnotes in the order of their references; the id of a reference is the footnote's place, from 1. */
  notes: Inline[][]
  sources: DocumentSource[]
}

/**
 * Numbers footnotes in order of reference, turns citations without a source and images without a file into text, drops unsafe
 * links, and aligns columns of numbers.
 */
export function prepare(document: TextDocument, images: Record<string, unknown> = {}): PreparedDocument {
  const { footnotes, sources, blocks, ...rest } = document
  const { language } = document
  const context: Context = {
    language,
    images,
    sources: sources?.length ?? 0,
    notes: [],
    footnotes: footnotes ?? {},
  }
  return {
    ...rest,
    title: oneLine(document.title) || pagePhrases[document.language].untitled,
    ...(document.subtitle && { subtitle: oneLine(document.subtitle) }),
    authors: (document.authors ?? []).map(oneLine).filter((author) => author !== ''),
    blocks: normaliseHeadingLevels(blocks.flatMap((block) => prepareBlock(block, context))),
    notes: context.notes,
    sources: (sources ?? []).map(prepareSource),
  }
}

interface Context {
  language: Language
  images: Record<string, unknown>
  sources: number
  notes: Inline[][]
  footnotes: Record<string, Inline[]>
}

/** Removes what XML cannot contain: control characters, lone surrogates, and two noncharacters. */
export const printable = (text: string): string => text.toWellFormed().replace(unprintable, '')

const unprintable = /(?![\t\n\r])[\p{Cc}\ufffe\uffff]/gu

const oneLine = (text: string): string => printable(text).replace(/\s+/g, ' ').trim()

function prepareBlock(block: DocumentBlock, context: Context): DocumentBlock[] {
  switch (block.type) {
    case 'heading':
    case 'paragraph': {
      const content = prepareInline(block.content, context)
      return content.length > 0 ? [{ ...block, content }] : []
    }
    case 'list':
      return [{ ...block, items: block.items.map((item) => prepareInside(item, context)) }]
    case 'quote':
      return [{ ...block, blocks: prepareInside(block.blocks, context) }]
    case 'table':
      return [prepareTable(block, context)]
    case 'code':
      return [{ ...block, text: printable(block.text).replace(/\r\n?/g, '\n').replaceAll('\t', '    ') }]
    case 'image': {
      const alt = oneLine(block.alt || block.caption || block.path)
      if (Object.hasOwn(context.images, block.path))
        return [{ ...block, alt, ...(block.caption && { caption: oneLine(block.caption) }) }]
      return [{ type: 'paragraph', content: [{ type: 'text', text: alt, italic: true }] }]
    }
    default:
      return [block]
  }
}

/** A heading inside a list or a quotation becomes a bold line. */
const prepareInside = (blocks: DocumentBlock[], context: Context): DocumentBlock[] =>
  blocks.flatMap((block) => prepareBlock(block.type === 'heading' ? asParagraph(block) : block, context))

const asParagraph = ({ content }: Heading): DocumentBlock => ({
  type: 'paragraph',
  content: content.map((inline) => (inline.type === 'text' ? { ...inline, bold: true } : inline)),
})

function prepareTable(table: TableBlock, context: Context): TableBlock {
  const width = Math.max(1, table.header.length)
  const row = (cells: Cell[]) =>
    Array.from({ length: width }, (_, column) => prepareInline(cells[column] ?? [], context))
  const header = row(table.header)
  const rows = table.rows.map(row)
  const align = header.map((_, column) => table.align?.[column] ?? sideOf(rows, column))
  return { ...table, header, rows, align, ...(table.caption && { caption: oneLine(table.caption) }) }
}

const numeric = /^[\u200e\u200f]{0,9}[-+−±~≈$€£]?\s?[\d۰-۹٠-٩][\d۰-۹٠-٩.,٫٬/\s]*[%٪]?[\u200e\u200f]{0,9}$/

/** Aligns columns of numbers to the end. */
function sideOf(rows: Cell[][], column: number): Alignment {
  const texts = rows.map((row) => plainText(row[column]!).trim()).filter((text) => !/^[-–—]?$/.test(text))
  return texts.length > 0 && texts.every((text) => numeric.test(text)) ? 'end' : 'start'
}

function prepareInline(content: readonly Inline[], context: Context): Inline[] {
  return content.flatMap((inline): Inline[] => {
    switch (inline.type) {
      case 'text':
        return prepareRun(inline, context)
      case 'citation': {
        const known = inline.number >= 1 && inline.number <= context.sources
        return known ? [inline] : [{ type: 'text', text: `[${inline.number}]` }]
      }
      case 'footnote':
        return prepareNote(inline.id, context)
      default:
        return [inline]
    }
  })
}

/** A footnote that is referenced twice is duplicated, since the formats need one note per reference. */
function prepareNote(id: string, context: Context): Inline[] {
  if (!Object.hasOwn(context.footnotes, id)) return []
  const text = context.footnotes[id]!.filter((inline) => inline.type !== 'footnote')
  context.notes.push(prepareInline(text, context))
  return [{ type: 'footnote', id: String(context.notes.length) }]
}

/** C++ and C#, whose signs would go to the other side of the name before a Persian word. */
const signedName = /(?<![A-Za-z\d])[A-Za-z][A-Za-z\d]*[+#]{1,2}(?![\p{L}\p{N}+#])/gu

function prepareRun(run: TextRun, { language }: Context): Inline[] {
  const { link, ...rest } = run
  const safe = link === undefined ? undefined : safeLink(printable(link))
  const text = printable(run.text)
  const lines = (language === 'fa' && !run.code ? text.replace(signedName, '$&\u200e') : text)
    .replaceAll('\t', ' ')
    .split(/\r\n?|\n/)
  return lines.flatMap((text, index): Inline[] => [
    ...(index > 0 ? [{ type: 'break' } as const] : []),
    ...(text === '' ? [] : [{ ...rest, text, ...(safe && { link: safe }) }]),
  ])
}

function prepareSource({ title, url, authors, date }: DocumentSource): DocumentSource {
  const safe = url === undefined ? undefined : safeLink(printable(url))
  return {
    title: oneLine(title) || safe || '—',
    ...(safe && { url: safe }),
    ...(authors && { authors: oneLine(authors) }),
    ...(date && { date: oneLine(date) }),
  }
}
