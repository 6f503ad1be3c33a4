import {
  AlignmentType,
  Bookmark,
  BorderStyle,
  HeadingLevel,
  ImageRun,
  type IParagraphOptions,
  LineRuleType,
  PageBreak,
  Paragraph,
  type ParagraphChild,
  ShadingType,
  type Table,
  TextRun,
} from 'docx'
import { directionOf, directionOfLanguage } from '../direction.ts'
import {
  type CodeBlock,
  type DocumentBlock,
  type Image,
  type Inline,
  type Language,
  type List,
  type PlacedImage,
  plainText,
} from '../model.ts'
import { colours } from '../theme.ts'
import { runsOf, textRuns } from './runs.ts'
import { bulletNumbering, deepestLevel, headingNumbering, indentAt, listNumbering } from './styles.ts'
import { tableOf } from './tables.ts'

/** The width of the text on A4 and the greatest height of an image, in points; a point is four thirds of what the format calls a pixel. */
const textWidth = 453
const maxImageHeight = 430
const pointsPerPixel = 0.375
const pixelsPerPoint = 4 / 3

const quoteStep = 300

/** The context of a block. */
export interface BlockContext {
  language: Language
  numbered: boolean
  images: Record<string, PlacedImage>
  /** Bookmarks of headings. */
  bookmarks: ReadonlyMap<DocumentBlock, string>
  /** The number of lists around the block. */
  listDepth: number
  /** The indentation of the block's text, in twentieths of a point. */
  indent: number
  quoted: boolean
  /** Gives every list its own numbering. */
  nextList: () => number
}

export const blocksOf = (blocks: readonly DocumentBlock[], context: BlockContext): (Paragraph | Table)[] =>
  blocks.flatMap((block) => blockOf(block, context))

function blockOf(block: DocumentBlock, context: BlockContext): (Paragraph | Table)[] {
  switch (block.type) {
    case 'heading':
      return [
        headingOf(block.content, block.level, context, {
          numbered: context.numbered,
          mark: context.bookmarks.get(block),
        }),
      ]
    case 'paragraph':
      return [paragraphOf(block.content, context)]
    case 'list':
      return listOf(block, context)
    case 'table':
      return [
        tableOf(block, context.language, context.indent),
        block.caption
          ? captionOf(block.caption, context.language)
          : new Paragraph({ spacing: { after: 120 } }),
      ]
    case 'quote':
      return blocksOf(block.blocks, { ...context, quoted: true, indent: context.indent + quoteStep })
    case 'code':
      return [codeOf(block, context)]
    case 'image':
      return imageOf(block, context)
    case 'rule': {
      const bottom = { style: BorderStyle.SINGLE, size: 6, space: 1, color: colours.line }
      return [
        new Paragraph({ border: { bottom }, indent: { left: 3_100, right: 3_100 }, spacing: { after: 300 } }),
      ]
    }
    case 'page-break':
      return [
        new Paragraph({
          spacing: { after: 0, line: 20, lineRule: LineRuleType.EXACT },
          children: [new PageBreak()],
        }),
      ]
  }
}

const levels = [
  HeadingLevel.HEADING_1,
  HeadingLevel.HEADING_2,
  HeadingLevel.HEADING_3,
  HeadingLevel.HEADING_4,
  HeadingLevel.HEADING_5,
  HeadingLevel.HEADING_6,
]

export function headingOf(
  content: readonly Inline[],
  level: number,
  { language }: BlockContext,
  { numbered, mark }: { numbered: boolean; mark?: string | undefined },
): Paragraph {
  const children = directedRuns(content, language)
  return new Paragraph({
    heading: levels[level - 1]!,
    bidirectional: directionOfLanguage(language) === 'rtl',
    ...(numbered && { numbering: { reference: headingNumbering, level: level - 1 } }),
    children: mark ? [new Bookmark({ id: mark, children })] : children,
  })
}

function paragraphOf(content: readonly Inline[], context: BlockContext): Paragraph {
  const direction = directionOf(content, context.language)
  return new Paragraph({
    ...(context.quoted ? quoteStyle(direction) : { alignment: alignmentOf(content) }),
    bidirectional: direction === 'rtl',
    ...(context.indent > 0 && { indent: { left: context.indent } }),
    children: runsOf(content, direction, context.language),
  })
}

/** U+200E and U+200F are invisible; neutral characters between one of them and a word take the direction of the word. */
const directionMarks = { ltr: '\u200e', rtl: '\u200f' } as const

/**
 * The runs of a heading or list item. A line that is wholly of the other script stays on the side of its neighbours: its number or bullet stays in
 * their column, and its full stop at the end of the line.
 */
function directedRuns(content: readonly Inline[], language: Language): ParagraphChild[] {
  const own = directionOf(content, language)
  const runs = runsOf(content, own, language)
  if (own === directionOfLanguage(language)) return runs
  return [...textRuns(directionMarks[own], own), ...runs, ...textRuns(directionMarks[own], own)]
}

/** Text with a long address is not justified: the line before it would be torn apart. */
const alignmentOf = (content: readonly Inline[]) =>
  /\S{40}/.test(plainText(content)) ? AlignmentType.START : AlignmentType.BOTH

/** The style of a quotation, with a line along the side where the text begins. */
const quoteStyle = (direction: string): IParagraphOptions => {
  const line = { style: BorderStyle.SINGLE, size: 16, space: 10, color: colours.bar }
  return { style: 'Quote', border: direction === 'rtl' ? { right: line } : { left: line } }
}

function listOf(list: List, context: BlockContext): (Paragraph | Table)[] {
  const level = Math.min(context.listDepth, deepestLevel)
  const reference = list.ordered ? listNumbering(list.start ?? 1) : bulletNumbering
  const numbering = { reference, level, instance: context.nextList() }
  const inner = { ...context, listDepth: context.listDepth + 1, indent: indentAt(level).left }
  return list.items.flatMap((item) => {
    const [first, ...rest] = item
    // An item that begins with a table or code has its number on a line before.
    const content = first?.type === 'paragraph' ? first.content : []
    const others = first?.type === 'paragraph' ? rest : item
    const line = new Paragraph({
      ...(context.quoted && quoteStyle(directionOfLanguage(context.language))),
      style: 'ListParagraph',
      alignment: AlignmentType.START,
      bidirectional: directionOfLanguage(context.language) === 'rtl',
      numbering,
      children: directedRuns(content, context.language),
    })
    return [line, ...blocksOf(others, inner)]
  })
}

function codeOf({ text }: CodeBlock, context: BlockContext): Paragraph {
  const line = { style: BorderStyle.SINGLE, size: 4, space: 6, color: colours.wash }
  return new Paragraph({
    style: 'Code',
    bidirectional: false,
    alignment: AlignmentType.LEFT,
    indent: { left: 140 + (context.language === 'en' ? context.indent : 0), right: 140 },
    shading: { type: ShadingType.CLEAR, color: 'auto', fill: colours.wash },
    border: { top: line, bottom: line, left: line, right: line },
    children: text
      .split('\n')
      .flatMap((code, index) => [
        ...(index > 0 ? [new TextRun({ break: 1 })] : []),
        ...textRuns(code, 'ltr'),
      ]),
  })
}

function imageOf({ path, alt, caption }: Image, context: BlockContext): Paragraph[] {
  const image = context.images[path]!
  const points = Math.min(
    textWidth,
    image.width * pointsPerPixel,
    (maxImageHeight * image.width) / image.height,
  )
  const width = Math.round(points * pixelsPerPoint)
  const height = Math.max(1, Math.round((width * image.height) / image.width))
  const run = new ImageRun({
    type: image.type,
    data: Buffer.from(image.bytes),
    transformation: { width, height },
    altText: { name: alt.slice(0, 80).toWellFormed(), title: '', description: alt },
  })
  const picture = new Paragraph({
    alignment: AlignmentType.CENTER,
    spacing: { line: 240, lineRule: LineRuleType.AUTO },
    keepNext: caption !== undefined,
    children: [run],
  })
  return caption ? [picture, captionOf(caption, context.language)] : [picture]
}

function captionOf(text: string, language: Language): Paragraph {
  const direction = directionOf(text, language)
  return new Paragraph({
    style: 'Caption',
    bidirectional: direction === 'rtl',
    children: textRuns(text, direction),
  })
}

/** A line that is not one of the document's blocks, such as the title. */
export function styledParagraph(
  text: string,
  style: string,
  language: Language,
  more: IParagraphOptions = {},
): Paragraph {
  const direction = directionOf(text, language)
  const side = direction === directionOfLanguage(language) ? AlignmentType.START : AlignmentType.END
  return new Paragraph({
    style,
    bidirectional: direction === 'rtl',
    alignment: side,
    ...more,
    children: textRuns(text, direction),
  })
}
