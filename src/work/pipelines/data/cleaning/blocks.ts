/** The cleaning notes as text: what was decided, changed and left out between cells and values. */
import type { DocumentBlock, Language } from '#work/documents'
import { headingOf, paragraphOf } from '../../blocks.ts'
import { persianNumbers } from '../../persian.ts'
import type { Note } from '../columns/notes.ts'
import { cleaningHeading, cleaningSentence, droppedSentence } from './phrases.ts'

/** The order of the notes: sources, rows, columns, values. */
const order: Note['kind'][] = [
  'used',
  'unused',
  'sheets-cut',
  'text-cut',
  'encoding',
  'broken',
  'before',
  'headless',
  'heads',
  'renamed',
  'nameless',
  'empty',
  'columns-cut',
  'skipped',
  'unparsed',
  'totals',
  'repeated',
  'merged-cells',
  'uncalculated',
  'durations',
  'texts',
  'codes',
  'stayed-text',
  'decimal',
  'slash',
  'magnitudes',
  'bare-unit',
  'other-unit',
  'rounded',
  'order',
  'century',
  'compact',
  'serial',
  'other-calendar',
  'jalali',
  'unreadable',
  'merged',
  'merged-more',
  'distinct-floor',
]

/** The cleaning notes as lines, which are not normalised, since some are about spellings. */
export const cleaningLines = (notes: readonly Note[], language: Language): string[] =>
  notes
    .toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))
    .map((note) => inNumbers(cleaningSentence(note, language), language))

const inNumbers = (line: string, language: Language) => (language === 'fa' ? persianNumbers(line) : line)

export function cleaningBlocks(notes: readonly Note[], dropped: number, language: Language): DocumentBlock[] {
  const lines = [
    ...cleaningLines(notes, language),
    ...(dropped > 0 ? [inNumbers(droppedSentence(dropped)[language], language)] : []),
  ]
  if (lines.length === 0) return []
  return [
    headingOf(1, cleaningHeading[language]),
    { type: 'list', ordered: false, items: lines.map((line) => [paragraphOf(line)]) },
  ]
}
