import { directionOf } from '../direction.ts'
import {
  type Block,
  type Direction,
  type Image,
  type Inline,
  type Language,
  type PlacedImage,
  plainText,
  type Quote,
  type Table,
} from '../model.ts'
import { inLine, longDate, pagePhrases } from '../phrases.ts'
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
export function printed(document: PreparedDocument, images: Record<string, PlacedImage>): object {
  const { language, title, subtitle, authors = [], dateMs } = document
  const page: Page = { language, files: Object.keys(images), images }
  return {
    language,
    title: forPrint(title),
    running: forPrint(
      title.length > runningCharacters ? `${title.slice(0, runningCharacters).toWellFormed()}…` : title,
    ),
    ...(subtitle && { subtitle: forPrint(subtitle) }),
    authors: authors.map(forPrint),
    byline: forPrint(inLine(language, authors)),
    date: dateMs === undefined ? '' : longDate(language, dateMs),
    day: dateMs === undefined ? null : dayInTehran(dateMs),
    titlePage: document.titlePage ?? false,
    contents: document.contents ?? false,
    numbered: document.numberedHeadings ?? false,
    words: pagePhrases[language],
    blocks: document.blocks.map((block) => printedBlock(block, page)),
    notes: document.notes.map((note) => directed(note, language)),
    sources: document.sources.map((source) => directed(entryOf(source, language), language)),
  }
}

interface Page {
  language: Language
  /** The paths of the images; the index of an image in this list names its file. */
  files: string[]
  images: Record<string, PlacedImage>
}

export const fileOf = (index: number, { type }: PlacedImage): string => `/image-${index}.${type}`

interface Directed {
  dir: Direction
  content: Inline[]
}

function printedBlock(block: Block, page: Page): object {
  switch (block.type) {
    case 'heading':
      return { ...block, content: printedInline(block.content) }
    case 'paragraph':
      return { ...block, ...directed(block.content, page.language) }
    case 'list':
      return {
        ...block,
        start: block.start ?? 1,
        tight: block.items.every((item) => item.length <= 1 || item[1]?.type === 'list'),
        items: block.items.map((item) => item.map((inner) => printedBlock(inner, page))),
      }
    case 'quote':
      return {
        ...block,
        dir: directionOf(textOf(block), page.language),
        blocks: block.blocks.map((inner) => printedBlock(inner, page)),
      }
    case 'table':
      return {
        ...block,
        short: isShort(block),
        header: block.header.map((cell) => directed(cell, page.language)),
        rows: block.rows.map((row) => row.map((cell) => directed(cell, page.language))),
        ...(block.caption && { caption: forPrint(block.caption) }),
      }
    case 'code':
      return { ...block, text: codeForPrint(block.text) }
    case 'image':
      return placed(block, page)
    default:
      return block
  }
}

const textOf = ({ blocks }: Quote): string =>
  blocks.map((block) => (block.type === 'paragraph' ? plainText(block.content) : '')).join(' ')

/** Whether a table is kept on one page; a table that might be longer than a page has to break. */
const isShort = ({ header, rows }: Table): boolean =>
  rows.length <= 12 && [header, ...rows].flat().reduce((sum, cell) => sum + plainText(cell).length, 0) < 1_200

function placed(block: Image, { files, images }: Page): object {
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

const directed = (content: Inline[], language: Language): Directed => ({
  dir: directionOf(content, language),
  content: [...(language === 'fa' && isNumeric(content) ? [afterPersian] : []), ...printedInline(content)],
})

/** Precedes a number alone, so that it is set as after a Persian word: with its percent sign on the left. */
const afterPersian: Inline = { type: 'text', text: '\u061c' }
function isNumeric(content: Inline[]): boolean {
  const text = plainText(content)
  return /[\d۰-۹٠-٩]/.test(text) && !/\p{L}/u.test(text)
}

const printedInline = (content: Inline[]): Inline[] =>
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
