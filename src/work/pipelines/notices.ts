import type { DocumentBlock, Language } from '#work/documents'
import { headingOf, paragraphOf } from './blocks.ts'
import type { Gap } from './budgeted-steps.ts'
import { gapLines, missingHeading, sandboxPhrases } from './phrases.ts'
import type { Task } from './pipelines.ts'

/** The notice at the beginning of a document made by sandbox models. */
export const noticeBlocks = ({
  isSandbox,
  language,
}: Pick<Task, 'isSandbox' | 'language'>): DocumentBlock[] =>
  isSandbox ? [{ type: 'quote', blocks: [paragraphOf(sandboxPhrases.notice[language])] }] : []

/** The list of gaps at the end of a document. */
export const gapBlocks = (gaps: readonly Gap[], language: Language): DocumentBlock[] =>
  gaps.length === 0
    ? []
    : [
        headingOf(1, missingHeading[language]),
        { type: 'list', ordered: false, items: gapLines(gaps, language).map((line) => [paragraphOf(line)]) },
      ]
