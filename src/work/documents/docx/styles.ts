import {
  AlignmentType,
  type ILevelsOptions,
  type INumberingOptions,
  type IParagraphStyleOptions,
  type IRunStylePropertiesOptions,
  type IStylesOptions,
  LeaderType,
  LevelFormat,
  LevelSuffix,
  LineRuleType,
  TabStopType,
} from 'docx'
import type { Language } from '../model.ts'
import { colours, countingFace, face, fixedFace } from '../theme.ts'

/** The size of text in half points. */
const textSize = 21
/** The indentation per level of a list, in twentieths of a point. */
const listStep = 400

/** Line spacing in 240ths of a line's own height. Without the rule some programs take it as a height, and cut off pictures. */
const lines = (line: number) => ({ line, lineRule: LineRuleType.AUTO })

const headings = [
  { size: 34, before: 440, after: 160 },
  { size: 27, before: 360, after: 130 },
  { size: 23, before: 300, after: 110 },
  { size: 21, before: 260, after: 90 },
  { size: 21, before: 240, after: 80 },
  { size: 21, before: 240, after: 80 },
]

export function stylesOf(language: Language): IStylesOptions {
  const counting = language === 'fa' ? countingFace : face
  const line = language === 'fa' ? 276 : 264
  return {
    default: {
      document: {
        run: {
          font: face,
          size: textSize,
          color: colours.ink,
          language: { value: 'en-US', bidirectional: 'fa-IR' },
        },
        // These settings also apply to the table of contents that a word processor writes anew.
        paragraph: {
          spacing: { ...lines(line), after: 160 },
          ...(language === 'fa' && { bidirectional: true }),
        },
      },
      ...headingStyles(),
      title: {
        run: { size: 54, bold: true, color: colours.ink },
        paragraph: { spacing: { ...lines(276), after: 200 }, keepNext: true },
      },
      hyperlink: { run: { color: colours.accent, underline: { type: 'none' } } },
      footnoteText: { run: { size: 17 }, paragraph: { spacing: { ...lines(250), after: 40 } } },
      footnoteReference: { run: { font: counting, superScript: true, color: colours.accent } },
      listParagraph: { paragraph: { spacing: { ...lines(line), after: 70 } } },
    },
    paragraphStyles: [...ownStyles(line, counting), ...contentsStyles],
  }
}

const headingStyles = () =>
  Object.fromEntries(
    headings.map(({ size, before, after }, index) => [
      `heading${index + 1}`,
      {
        run: { size, bold: true, color: index < 3 ? colours.ink : colours.soft },
        paragraph: {
          spacing: { before, after, ...lines(264) },
          keepNext: true,
          keepLines: true,
          outlineLevel: index,
        },
      },
    ]),
  )

const ownStyles = (line: number, counting: string): IParagraphStyleOptions[] => [
  paragraphStyle('Subtitle', { size: 27, color: colours.soft }, { spacing: { after: 200 } }),
  paragraphStyle('Byline', { size: 22, bold: true }, { spacing: { after: 60 } }),
  paragraphStyle('DateLine', { color: colours.soft }),
  paragraphStyle(
    'ContentsTitle',
    { size: 34, bold: true },
    { spacing: { before: 0, after: 0 }, keepNext: true },
  ),
  paragraphStyle('Quote', { color: colours.soft }, { spacing: { ...lines(line), before: 60, after: 120 } }),
  paragraphStyle(
    'Code',
    { font: { ascii: fixedFace, hAnsi: fixedFace, cs: face }, size: 18, noProof: true },
    { spacing: { ...lines(252), before: 120, after: 200 } },
  ),
  paragraphStyle(
    'Caption',
    { size: 18, color: colours.soft },
    { spacing: { before: 80, after: 300 }, alignment: AlignmentType.CENTER },
  ),
  paragraphStyle('TableText', { size: 19 }, { spacing: { ...lines(252), before: 50, after: 50 } }),
  paragraphStyle('Running', { size: 17, color: colours.soft }, { spacing: { after: 0 } }),
  paragraphStyle('Folio', { font: counting, size: 18, color: colours.soft }, { spacing: { after: 0 } }),
  paragraphStyle('Source', {}, { spacing: { after: 90 } }),
]

/** The tab stop for the page numbers that a word processor adds to the table of contents. */
const contentsTabs = { tabStops: [{ type: TabStopType.RIGHT, position: 9_070, leader: LeaderType.DOT }] }

const contentsStyles: IParagraphStyleOptions[] = [0, 1, 2].map((level) => ({
  ...paragraphStyle(`TOC${level + 1}`, level === 0 ? { bold: true } : {}, {
    spacing: { before: level === 0 ? 120 : 0, after: 50 },
    indent: { left: level * 320 },
    ...contentsTabs,
  }),
  name: `toc ${level + 1}`,
  next: 'Normal',
}))

function paragraphStyle(
  id: string,
  run: IRunStylePropertiesOptions,
  paragraph: NonNullable<IParagraphStyleOptions['paragraph']> = {},
): IParagraphStyleOptions {
  return { id, name: id, basedOn: 'Normal', quickFormat: true, run, paragraph }
}

export const headingNumbering = 'headings'
export const bulletNumbering = 'bullets'
export const listNumbering = (start: number): string => `numbers-${start}`

/** The deepest level that the format has. */
export const deepestLevel = 8

/** Native numbering, so that added items are numbered. Persian digit shapes come from the font, so that every program numbers correctly. */
export function numberingOf(language: Language, starts: ReadonlySet<number>): INumberingOptions {
  const font = language === 'fa' ? countingFace : face
  return {
    config: [
      { reference: headingNumbering, levels: levels((level) => headingLevel(level, language, font)) },
      { reference: bulletNumbering, levels: levels(bulletLevel) },
      ...[...starts].map((start) => ({
        reference: listNumbering(start),
        levels: levels((level) => numberLevel(level, start, font)),
      })),
    ],
  }
}

const levels = (make: (level: number) => ILevelsOptions): ILevelsOptions[] =>
  Array.from({ length: deepestLevel + 1 }, (_, level) => make(level))

function headingLevel(level: number, language: Language, font: string): ILevelsOptions {
  const places = Array.from({ length: level + 1 }, (_, index) => `%${index + 1}`)
  return {
    level,
    alignment: AlignmentType.START,
    format: LevelFormat.DECIMAL,
    // The mark keeps chapters on the right in a right-to-left line.
    text: `${places.join(language === 'fa' ? '\u200f-\u200f' : '.')}\u2002`,
    suffix: LevelSuffix.NOTHING,
    style: { run: { font, color: colours.accent }, paragraph: { indent: { left: 0, hanging: 0 } } },
  }
}

const bulletLevel = (level: number): ILevelsOptions => ({
  level,
  alignment: AlignmentType.START,
  format: LevelFormat.BULLET,
  text: level % 2 === 0 ? '•' : '–',
  style: {
    run: { font: face, color: level === 0 ? colours.accent : colours.soft },
    paragraph: { indent: indentAt(level) },
  },
})

const numberLevel = (level: number, start: number, font: string): ILevelsOptions => ({
  level,
  start,
  alignment: AlignmentType.START,
  format: LevelFormat.DECIMAL,
  text: `%${level + 1}.`,
  style: { run: { font, color: colours.accent }, paragraph: { indent: indentAt(level) } },
})

/** The indentation of a list's text at a level, along the direction of its paragraph. */
export const indentAt = (level: number): { left: number; hanging: number } => ({
  left: (level + 1) * listStep,
  hanging: 320,
})
