import {
  AlignmentType,
  Bookmark,
  BorderStyle,
  Document,
  Footer,
  Header,
  InternalHyperlink,
  type ISectionOptions,
  Packer,
  PageNumber,
  type PageNumberEstimator,
  Paragraph,
  TableOfContents,
  TextRun,
} from 'docx'
import { directionOf, directionOfLanguage } from '../direction.ts'
import { fontFile } from '../fonts.ts'
import {
  type DocumentBlock,
  type Language,
  type PlacedImage,
  plainText,
  type TextDocument,
} from '../model.ts'
import { inDigits, joinedNames, longDate, pagePhrases } from '../phrases.ts'
import { type PreparedDocument, prepare } from '../prepare.ts'
import { entryOf } from '../sources.ts'
import { colours, countingFace, face } from '../theme.ts'
import { type BlockContext, blocksOf, headingOf, styledParagraph } from './body.ts'
import { headingNumbers, headingsIn } from './headings.ts'
import { runsOf, sourceMark, textRuns } from './runs.ts'
import { numberingOf, stylesOf } from './styles.ts'

/** The same page as in page.typ, in twentieths of a point. */
const page = {
  size: { width: 11_906, height: 16_838 },
  margin: { top: 1_530, bottom: 1_474, left: 1_417, right: 1_417, header: 760, footer: 680 },
}

/** Writes a DOCX with native headings, lists, footnotes and table of contents, and embedded fonts. Only for a confined process. */
export async function writeDocx(
  document: TextDocument,
  images: Record<string, PlacedImage>,
): Promise<Uint8Array> {
  const prepared = prepare(document, images)
  const { language } = prepared
  const author = joinedNames(language, prepared.authors ?? []) || 'Kherad'
  let lists = 0
  const context: BlockContext = {
    language,
    numbered: prepared.numberedHeadings ?? false,
    images,
    bookmarks: new Map(headingsIn(prepared.blocks).map(({ block, mark }) => [block, mark])),
    listDepth: 0,
    indent: 0,
    quoted: false,
    nextList: () => (lists += 1),
  }
  const file = new Document({
    title: prepared.title,
    creator: author,
    lastModifiedBy: author,
    description: prepared.subtitle ?? '',
    styles: stylesOf(language),
    numbering: numberingOf(language, startsIn(prepared.blocks)),
    fonts: fontsOf(language),
    footnotes: notesOf(prepared),
    pageNumbers: noPageNumbers,
    sections: sectionsOf(prepared, context),
  })
  return Packer.toBuffer(file)
}

/**
 * Gives no page numbers, which only the reader's program knows. Without this, fields would be marked as stale, and Word would ask about them at every
 * start.
 */
const noPageNumbers: PageNumberEstimator = () => ({ bookmarks: new Map() })

/** The title page and the contents are sections of their own; without a title page there is one section. */
function sectionsOf(document: PreparedDocument, context: BlockContext): ISectionOptions[] {
  const around = headerFooterOf(document)
  const text = [...blocksOf(document.blocks, context), ...sourcesOf(document, context)]
  const contents = contentsOf(document)
  if (!document.titlePage)
    return [{ properties: { page }, ...around, children: [...titleOf(document), ...contents, ...text] }]
  return [
    { properties: { page }, children: titleOf(document) },
    ...(contents.length > 0 ? [{ properties: { page }, ...around, children: contents }] : []),
    { properties: { page }, ...around, children: text },
  ]
}

const fontsOf = (language: string) =>
  [
    { name: face, file: 'Vazirmatn' },
    ...(language === 'fa' ? [{ name: countingFace, file: 'Vazirmatn-FD' }] : []),
  ].map(({ name, file }) => ({ name, data: fontFile(`${file}-Regular`), bold: fontFile(`${file}-Bold`) }))

/** Every different start number needs its own numbering definition. */
function startsIn(blocks: readonly DocumentBlock[], found: Set<number> = new Set([1])): Set<number> {
  for (const block of blocks) {
    if (block.type === 'quote') startsIn(block.blocks, found)
    if (block.type !== 'list') continue
    if (block.ordered) found.add(block.start ?? 1)
    for (const item of block.items) startsIn(item, found)
  }
  return found
}

function notesOf({
  notes,
  language,
}: PreparedDocument): Record<string, { readonly children: readonly Paragraph[] }> {
  const entries = notes.map((note, index) => {
    const direction = directionOf(note, language)
    const children = [new TextRun(' '), ...runsOf(note, direction, language)]
    return [
      index + 1,
      { children: [new Paragraph({ bidirectional: direction === 'rtl', children })] },
    ] as const
  })
  return Object.fromEntries(entries)
}

function titleOf({
  title,
  subtitle,
  authors = [],
  dateMs,
  language,
  titlePage,
}: PreparedDocument): Paragraph[] {
  const bar = { style: BorderStyle.SINGLE, size: 24, space: 1, color: colours.accent }
  const date = dateMs === undefined ? '' : longDate(language, dateMs)
  return [
    new Paragraph({
      bidirectional: language === 'fa',
      border: { top: bar },
      indent: { right: 8_100 },
      spacing: { before: titlePage ? 3_700 : 0, after: 0 },
    }),
    styledParagraph(title, 'Title', language),
    ...(subtitle ? [styledParagraph(subtitle, 'Subtitle', language)] : []),
    ...(titlePage ? [new Paragraph({ spacing: { before: 3_900, after: 0 } })] : []),
    ...(authors.length > 0 ? [styledParagraph(joinedNames(language, authors), 'Byline', language)] : []),
    ...(date ? [styledParagraph(date, 'DateLine', language)] : []),
  ]
}

const sourcesHeading = 'sources'

/** The table of contents: a field that lists the headings, filled in with links to them. A word processor adds their page numbers. */
function contentsOf(document: PreparedDocument): (Paragraph | TableOfContents)[] {
  const { contents, blocks, sources, language, numberedHeadings } = document
  if (!contents) return []
  const words = pagePhrases[language]
  const headings = headingsIn(blocks)
  const numbers = headingNumbers(headings, language)
  const entries = headings.map(({ block, mark }, index) => {
    const number = numberedHeadings ? `${numbers[index]}\u2002` : ''
    return contentsEntry(number, plainText(block.content), block.level, mark, language)
  })
  if (sources.length > 0) entries.push(contentsEntry('', words.sources, 1, sourcesHeading, language))
  const field = { hyperlink: true, headingStyleRange: '1-3', contentChildren: entries }
  return [
    styledParagraph(words.contents, 'ContentsTitle', language),
    new TableOfContents(words.contents, field),
  ]
}

function contentsEntry(
  number: string,
  text: string,
  level: number,
  anchor: string,
  language: Language,
): Paragraph {
  const direction = directionOf(text, language)
  const children = textRuns(number + text, direction)
  return new Paragraph({
    style: `TOC${level}`,
    bidirectional: direction === 'rtl',
    children: [new InternalHyperlink({ anchor, children })],
  })
}

function sourcesOf({ sources, language }: PreparedDocument, context: BlockContext): Paragraph[] {
  if (sources.length === 0) return []
  const title = [{ type: 'text', text: pagePhrases[language].sources } as const]
  return [
    headingOf(title, 1, context, { numbered: false, mark: sourcesHeading }),
    ...sources.map((source, index) => {
      const content = entryOf(source, language)
      const number = `[${inDigits(language, index + 1)}] `
      const colour = { color: colours.accent }
      const children = textRuns(number, directionOfLanguage(language), colour)
      return new Paragraph({
        style: 'Source',
        bidirectional: language === 'fa',
        children: [
          new Bookmark({ id: sourceMark(index + 1), children }),
          ...runsOf(content, directionOf(content, language), language),
        ],
      })
    }),
  ]
}

/** The header with the title and the footer with the page number. */
function headerFooterOf({ title, language }: PreparedDocument): Pick<ISectionOptions, 'headers' | 'footers'> {
  const bottom = { style: BorderStyle.SINGLE, size: 4, space: 5, color: colours.line }
  const running = styledParagraph(title.slice(0, 100).toWellFormed(), 'Running', language, {
    border: { bottom },
  })
  const number = new TextRun({ children: [PageNumber.CURRENT] })
  const folio = new Paragraph({ style: 'Folio', alignment: AlignmentType.CENTER, children: [number] })
  return {
    headers: { default: new Header({ children: [running] }) },
    footers: { default: new Footer({ children: [folio] }) },
  }
}
