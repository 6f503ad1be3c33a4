import type { DocumentBlock, Inline, List } from '../model.ts'
import { type References, readInline } from './inline.ts'
import {
  closesFence,
  dedent,
  fenceOf,
  headingOf,
  indentOf,
  isBlank,
  isInvisible,
  isPageBreak,
  isQuote,
  isRule,
  type Marker,
  markerOf,
  underlineLevel,
} from './lines.ts'
import { readTable } from './table.ts'

/** Maximum nesting of lists and quotations; deeper ones are read as text. */
const deepest = 12

interface BlockReader {
  lines: readonly string[]
  at: number
  depth: number
  references: References
  blocks: DocumentBlock[]
}

/** Parses lines of Markdown into blocks. */
export function readBlocks(lines: readonly string[], references: References, depth = 0): DocumentBlock[] {
  const reader: BlockReader = { lines, at: 0, depth, references, blocks: [] }
  while (reader.at < lines.length) readBlock(reader)
  return reader.blocks
}

function readBlock(reader: BlockReader): void {
  const line = reader.lines[reader.at]!
  if (isBlank(line)) reader.at += 1
  else if (isPageBreak(line)) appendBlocks(reader, 1, { type: 'page-break' })
  else if (isInvisible(line)) reader.at += 1
  else if (fenceOf(line)) readFence(reader)
  else if (headingOf(line)) readHeading(reader)
  else if (isRule(line)) appendBlocks(reader, 1, { type: 'rule' })
  else if (reader.depth < deepest && isQuote(line)) readQuote(reader)
  else if (reader.depth < deepest && markerOf(line)) readList(reader)
  else if (!readTableAt(reader)) readParagraph(reader)
}

function appendBlocks(reader: BlockReader, lines: number, ...blocks: DocumentBlock[]): void {
  reader.blocks.push(...blocks)
  reader.at += lines
}

const inlineOf = (reader: BlockReader, text: string): Inline[] => readInline(text, reader.references)

function readFence(reader: BlockReader): void {
  const fence = fenceOf(reader.lines[reader.at]!)!
  let end = reader.at + 1
  while (end < reader.lines.length && !closesFence(reader.lines[end]!, fence)) end += 1
  const text = reader.lines
    .slice(reader.at + 1, end)
    .map((line) => dedent(line, fence.indent))
    .join('\n')
  const length = end + 1 - reader.at
  appendBlocks(reader, length, { type: 'code', text, ...(fence.language && { language: fence.language }) })
}

function readHeading(reader: BlockReader): void {
  const { level, text } = headingOf(reader.lines[reader.at]!)!
  const content = inlineOf(reader, text)
  reader.at += 1
  if (content.length > 0) reader.blocks.push({ type: 'heading', level, content })
}

/** Whether a line ends a paragraph without a blank line. */
function endsParagraph(line: string): boolean {
  const marker = markerOf(line)
  // A numbered list must begin at 1, since a line may begin with a year.
  if (marker && marker.indent <= 3 && !isBlank(line.slice(marker.contentIndent)))
    return !marker.ordered || marker.number === 1
  return (
    fenceOf(line) !== undefined ||
    headingOf(line) !== undefined ||
    isRule(line) ||
    isQuote(line) ||
    isPageBreak(line) ||
    isInvisible(line)
  )
}

function readQuote(reader: BlockReader): void {
  const inner: string[] = []
  let end = reader.at
  for (; end < reader.lines.length; end += 1) {
    const line = reader.lines[end]!
    if (isQuote(line)) inner.push(line.replace(/^ {0,3}> ?/, ''))
    // Lazy continuation: a paragraph in a quotation continues without `>`.
    else if (!isBlank(line) && !isBlank(inner.at(-1)!) && !endsParagraph(line)) inner.push(line)
    else break
  }
  const blocks = readBlocks(inner, reader.references, reader.depth + 1)
  reader.at = end
  if (blocks.length > 0) reader.blocks.push({ type: 'quote', blocks })
}

function readList(reader: BlockReader): void {
  const first = markerOf(reader.lines[reader.at]!)!
  const items: DocumentBlock[][] = []
  for (;;) {
    const marker: Marker | undefined =
      reader.at < reader.lines.length ? markerOf(reader.lines[reader.at]!) : undefined
    if (!marker || marker.ordered !== first.ordered || isRule(reader.lines[reader.at]!)) break
    items.push(readItem(reader, marker))
  }
  const list: List = { type: 'list', ordered: first.ordered, items }
  if (first.ordered && first.number !== 1) list.start = first.number
  reader.blocks.push(list)
}

function readItem(reader: BlockReader, marker: Marker): DocumentBlock[] {
  const inner = [reader.lines[reader.at]!.slice(marker.contentIndent)]
  let end = reader.at + 1
  for (; end < reader.lines.length; end += 1) {
    const line = reader.lines[end]!
    if (isBlank(line)) inner.push('')
    // Models indent the content of a numbered item by two columns as often as by three.
    else if (indentOf(line) >= Math.min(marker.contentIndent, marker.indent + 2))
      inner.push(dedent(line, marker.contentIndent))
    else if (!isBlank(inner.at(-1)!) && !markerOf(line) && !endsParagraph(line)) inner.push(line.trimStart())
    else break
  }
  reader.at = end
  return readBlocks(withBoxes(inner), reader.references, reader.depth + 1)
}

/** Replaces the box of a task list's item by a character. */
function withBoxes(lines: string[]): string[] {
  const box = /^\[([ xX])\](?=\s)/.exec(lines[0]!)
  if (!box) return lines
  return [`${box[1] === ' ' ? '☐' : '☑'}${lines[0]!.slice(3)}`, ...lines.slice(1)]
}

function readTableAt(reader: BlockReader): boolean {
  const ends = (line: string) => isBlank(line) || endsParagraph(line)
  const table = readTable(reader.lines, reader.at, ends)
  if (!table) return false
  const cells = (row: string[]) => row.map((cell) => inlineOf(reader, cell))
  const { align, length } = table
  const aligned = align.some((side) => side !== 'start')
  appendBlocks(reader, length, {
    type: 'table',
    header: cells(table.header),
    rows: table.rows.map(cells),
    ...(aligned && { align }),
  })
  return true
}

function readParagraph(reader: BlockReader): void {
  const text = [reader.lines[reader.at]!.trimStart()]
  let end = reader.at + 1
  for (; end < reader.lines.length; end += 1) {
    const line = reader.lines[end]!
    const level = underlineLevel(line)
    if (level) {
      appendBlocks(reader, end + 1 - reader.at, {
        type: 'heading',
        level,
        content: inlineOf(reader, text.join(' ').trim()),
      })
      return
    }
    if (isBlank(line) || endsParagraph(line)) break
    if (line.includes('|') && readTable(reader.lines, end, isBlank)) break
    text.push(line.trimStart())
  }
  const lines = reader.lines.slice(reader.at, end)
  reader.at = end
  const images = lines.map(imageOf)
  if (images.every((image) => image !== undefined)) reader.blocks.push(...images)
  else {
    const content = inlineOf(reader, text.join('\n').trimEnd())
    if (content.length > 0) reader.blocks.push({ type: 'paragraph', content })
  }
}

/** The image of a line that is only an image of the document itself. An image from elsewhere is never fetched; its text stays. */
function imageOf(line: string): DocumentBlock | undefined {
  const found = /^!\[([^[\]]{0,500})\]\(<?([^()<>"]{1,300}?)>?(?: {0,9}"([^"]{0,500})")?\)$/.exec(line.trim())
  if (!found || /^[a-z][a-z\d+.-]*:/i.test(found[2]!)) return undefined
  const [, alt, path, caption] = found
  return { type: 'image', path: path!.replace(/^\.\//, ''), alt: alt!, ...(caption && { caption }) }
}
