import {
  type DocumentBlock,
  type DocumentSource,
  documentFromMarkdown,
  type Inline,
  type Language,
  type TextDocument,
} from '#work/documents'
import { truncatedText } from './cut.ts'

/** A part of a document that was written separately. */
export interface DocumentPart {
  blocks: DocumentBlock[]
  footnotes: Record<string, Inline[]>
}

export interface PartOptions {
  /** Prefix of its footnote ids, so that they differ from those of other parts. */
  id: string
  title: string
  markdown: string
  language: Language
  sources?: DocumentSource[]
}

/** The most bytes of a section, many times its token limit; parsing a longer one would block the event loop. */
const maxPartBytes = 64 * 1024

/** Parses the Markdown of one section and puts its heading above it. Unclosed constructs end with the section. */
export function parsePart({ id, title, markdown, language, sources }: PartOptions): DocumentPart {
  const text = truncatedText(withoutOwnHeading(markdown, title), maxPartBytes)
  // The reader removes a heading that repeats the title; this title matches none, so that all headings stay.
  const meta = { language, title: `\u2060${id}`, numberedHeadings: true, ...(sources && { sources }) }
  const { blocks, footnotes = {} } = documentFromMarkdown(text, meta)
  const rename = (inline: Inline): Inline =>
    inline.type === 'footnote' ? { ...inline, id: `${id}-${inline.id}` } : inline
  const renamed = Object.entries(footnotes).map(([name, note]) => [`${id}-${name}`, note] as const)
  return {
    blocks: [
      ...(title ? [headingOf(1, title)] : []),
      ...mapInlines(blocks, rename).map((block) =>
        block.type === 'heading' ? { ...block, level: Math.min(6, block.level + (title ? 1 : 0)) } : block,
      ),
    ],
    footnotes: Object.fromEntries(renamed),
  }
}

export const headingOf = (level: number, text: string): DocumentBlock => ({
  type: 'heading',
  level,
  content: [{ type: 'text', text }],
})

export const paragraphOf = (text: string): DocumentBlock => ({
  type: 'paragraph',
  content: [{ type: 'text', text }],
})

/** Concatenates parts into the body of a document. */
export const joinParts = (parts: readonly DocumentPart[]): Pick<TextDocument, 'blocks' | 'footnotes'> => ({
  blocks: parts.flatMap(({ blocks }) => blocks),
  footnotes: Object.assign({}, ...parts.map(({ footnotes }) => footnotes)) as Record<string, Inline[]>,
})

/** Removes a leading heading that repeats the title: models often write the title from their prompt again. */
function withoutOwnHeading(markdown: string, title: string): string {
  const text = withoutFence(markdown.trim())
  const [first = ''] = text.split('\n', 1)
  const isOwn = /^#{1,6}\s/.test(first) && folded(first) === folded(title)
  return isOwn ? text.slice(first.length + 1) : text
}

/** Unwraps an answer that is entirely inside a Markdown code fence. */
function withoutFence(text: string): string {
  const opening = /^```(?:markdown|md)[^\S\n]*\n/i.exec(text)?.[0].length
  if (opening === undefined || text.length < opening + 3 || !text.endsWith('```')) return text
  return text.slice(opening, -3).replace(/\n$/, '')
}

const folded = (text: string): string => text.replace(/[^\p{L}]+/gu, '').toLowerCase()

/** Applies a function to every inline element of a tree of blocks. */
export function mapInlines(
  blocks: readonly DocumentBlock[],
  change: (inline: Inline) => Inline,
): DocumentBlock[] {
  const all = (content: Inline[]) => content.map(change)
  return blocks.map((block): DocumentBlock => {
    switch (block.type) {
      case 'heading':
      case 'paragraph':
        return { ...block, content: all(block.content) }
      case 'list':
        return { ...block, items: block.items.map((item) => mapInlines(item, change)) }
      case 'quote':
        return { ...block, blocks: mapInlines(block.blocks, change) }
      case 'table':
        return { ...block, header: block.header.map(all), rows: block.rows.map((row) => row.map(all)) }
      default:
        return block
    }
  })
}
