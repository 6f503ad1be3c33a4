import { directionOf } from '../direction.ts'
import {
  type Direction,
  type DocumentBlock,
  type Image,
  type Inline,
  type Language,
  type PlacedImage,
  plainText,
  type Quote,
  type TableBlock,
} from '../model.ts'
import { joinedNames, longDate, pagePhrases } from '../phrases.ts'
import type { PreparedDocument } from '../prepare.ts'
import { entryOf } from '../sources.ts'
import { codeForPrint, forPrint } from './glyphs.ts'

/** The width of the text on the page of page.typ and the greatest height of an image on it, in points. */
const textWidth = 453
const maxImageHeight = 430
/** Pictures are drawn for screens of twice the usual density. */
const pointsPerPixel = 0.375

const runningCharacters = 90

/** What page.typ reads: the document with its directions and sizes, and the words that the page adds. */
export function typstInput(document: PreparedDocument, images: Record<string, PlacedImage>): object {
  const { language, title, subtitle, authors = [], dateMs } = document
  const context: PrintContext = { language, files: Object.keys(images), images }
  return {
    language,
    title: forPrint(title),
    running: forPrint(
      title.length > runningCharacters ? `${title.slice(0, runningCharacters).toWellFormed()}…` : title,
    ),
    ...(subtitle && { subtitle: forPrint(subtitle) }),
    authors: authors.map(forPrint),
    byline: forPrint(joinedNames(language, authors)),
    date: dateMs === undefined ? '' : longDate(language, dateMs),
    day: dateMs === undefined ? null : dayInTehran(dateMs),
    titlePage: document.titlePage ?? false,
    contents: document.contents ?? false,
    numbered: document.numberedHeadings ?? false,
    words: pagePhrases[language],
    blocks: document.blocks.map((block) => typstBlock(block, context)),
    notes: document.notes.map((note) => withDirection(note, language)),
    sources: document.sources.map((source) => withDirection(entryOf(source, language), language)),
  }
}

interface PrintContext {
  language: Language
  /** The paths of the images; the index of an image in this list names its file. */
  files: string[]
  images: Record<string, PlacedImage>
}

export const fileOf = (index: number, { type }: PlacedImage): string => `/image-${index}.${type}`

interface DirectedContent {
  dir: Direction
  content: Inline[]
}

function typstBlock(block: DocumentBlock, context: PrintContext): object {
  switch (block.type) {
    case 'heading':
      return { ...block, content: typstInline(block.content) }
    case 'paragraph':
      return { ...block, ...withDirection(block.content, context.language) }
    case 'list':
      return {
        ...block,
        start: block.start ?? 1,
        tight: block.items.every((item) => item.length <= 1 || item[1]?.type === 'list'),
        items: block.items.map((item) => item.map((inner) => typstBlock(inner, context))),
      }
    case 'quote':
      return {
        ...block,
        dir: directionOf(textOf(block), context.language),
        blocks: block.blocks.map((inner) => typstBlock(inner, context)),
      }
    case 'table':
      return {
        ...block,
        short: isShort(block),
        header: block.header.map((cell) => withDirection(cell, context.language)),
        rows: block.rows.map((row) => row.map((cell) => withDirection(cell, context.language))),
        ...(block.caption && { caption: forPrint(block.caption) }),
      }
    case 'code':
      return { ...block, text: codeForPrint(block.text) }
    case 'image':
      return typstImage(block, context)
    default:
      return block
  }
}

const textOf = ({ blocks }: Quote): string =>
  blocks.map((block) => (block.type === 'paragraph' ? plainText(block.content) : '')).join(' ')

/** Whether a table is kept on one page; a table that might be longer than a page has to break. */
const isShort = ({ header, rows }: TableBlock): boolean =>
  rows.length <= 12 && [header, ...rows].flat().reduce((sum, cell) => sum + plainText(cell).length, 0) < 1_200

function typstImage(block: Image, { files, images }: PrintContext): object {
  const image = images[block.path]!
  const width = Math.min(
    textWidth,
    image.width * pointsPerPixel,
    (maxImageHeight * image.width) / image.height,
  )
  return {
    ...block,
    alt: forPrint(block.alt),
    ...(block.caption && { caption: forPrint(block.caption) }),
    file: fileOf(files.indexOf(block.path), image),
    width,
  }
}

const withDirection = (content: Inline[], language: Language): DirectedContent => ({
  dir: directionOf(content, language),
  content: [...(language === 'fa' && isNumeric(content) ? [arabicLetterMark] : []), ...typstInline(content)],
})

/** Precedes a number alone, so that it is set as after a Persian word: with its percent sign on the left. */
const arabicLetterMark: Inline = { type: 'text', text: '\u061c' }
function isNumeric(content: Inline[]): boolean {
  const text = plainText(content)
  return /[\d۰-۹٠-٩]/.test(text) && !/\p{L}/u.test(text)
}

const typstInline = (content: Inline[]): Inline[] =>
  content.map((inline) => (inline.type === 'text' ? { ...inline, text: forPrint(inline.text) } : inline))

function dayInTehran(ms: number): { year: number; month: number; day: number } {
  const [year, month, day] = new Intl.DateTimeFormat('en-CA-u-ca-gregory-nu-latn', {
    timeZone: 'Asia/Tehran',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
    .format(ms)
    .split('-')
    .map(Number)
  return { year: year!, month: month!, day: day! }
}
