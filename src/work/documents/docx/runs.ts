import {
  ExternalHyperlink,
  FootnoteReferenceRun,
  InternalHyperlink,
  type IRunOptions,
  type ParagraphChild,
  TextRun,
} from 'docx'
import { segmentsOf } from '../direction.ts'
import type { Direction, Inline, Language, TextRun as Run } from '../model.ts'
import { inDigits } from '../phrases.ts'
import { colours, face, fixedFace } from '../theme.ts'

export const sourceMark = (number: number): string => `source_${number}`

/** Inline content as runs of one direction each; Persian runs have `w:rtl`, Latin runs never have it. */
export const runsOf = (
  content: readonly Inline[],
  base: Direction,
  language: Language,
  more: IRunOptions = {},
): ParagraphChild[] => content.flatMap((inline) => childrenOf(inline, base, language, more))

function childrenOf(
  inline: Inline,
  base: Direction,
  language: Language,
  more: IRunOptions,
): ParagraphChild[] {
  switch (inline.type) {
    case 'break':
      return [new TextRun({ break: 1 })]
    case 'footnote':
      return [new FootnoteReferenceRun(Number(inline.id))]
    case 'citation': {
      const text = `[${inDigits(language, inline.number)}]`
      const children = textRuns(text, base, { ...more, color: colours.accent })
      return [new InternalHyperlink({ anchor: sourceMark(inline.number), children })]
    }
    case 'text':
      return styledRuns(inline, base, more)
  }
}

function styledRuns(run: Run, base: Direction, more: IRunOptions): ParagraphChild[] {
  const options: IRunOptions = {
    ...more,
    ...(run.bold && { bold: true }),
    ...(run.italic && { italics: true }),
    ...(run.strike && { strike: true }),
    ...(run.code && codeRun),
    ...(run.link && { style: 'Hyperlink' }),
  }
  const children = textRuns(run.text, run.code ? 'ltr' : base, options)
  return run.link ? [new ExternalHyperlink({ link: run.link, children })] : children
}

const codeRun: IRunOptions = {
  font: { ascii: fixedFace, hAnsi: fixedFace, cs: face },
  size: 18,
  noProof: true,
  shading: { type: 'clear', color: 'auto', fill: colours.wash },
}

/** A text as runs, one for each part with the same direction. */
export const textRuns = (text: string, base: Direction, options: IRunOptions = {}): TextRun[] =>
  segmentsOf(text, base).map(
    (segment) =>
      new TextRun({
        ...options,
        text: segment.text,
        ...(segment.direction === 'rtl' && { rightToLeft: true }),
      }),
  )
