import type { Language } from '#work/documents'
import type { FoundTable } from './compute.ts'
import { isNumeric } from './figures.ts'
import { figureLabels, summaryPhrases } from './phrases.ts'
import { countsOnly, type ViewAnswer } from './views.ts'
import { percentText, writeMeasured } from './write-number.ts'

/** A computed number under a name by which prose refers to it. */
export interface Figure {
  id: string
  label: string
  /** Formatted for display. */
  text: string
}

const maxFigures = 90
const maxRows = 8

/** The figures that prose may refer to, by label. */
export function figuresOf(
  { rows: rowCount, profile }: FoundTable,
  answers: readonly ViewAnswer[],
  language: Language,
): Figure[] {
  const words = summaryPhrases[language]
  const found: Omit<Figure, 'id'>[] = []
  const add = (label: string, text: string) => found.push({ label, text })
  const count = (number: number) => writeMeasured(String(number), { kind: 'number' }, language)
  add(words.rows, count(rowCount))
  for (const column of profile) {
    if (column.missing > 0) add(`${words.missing}: ${column.name}`, count(column.missing))
    if (!isNumeric(column.kind)) add(`${words.distinct}: ${column.name}`, count(column.distinct))
    for (const measure of ['sum', 'mean', 'median', 'min', 'max'] as const) {
      const value = column[measure]
      if (value === undefined || !isNumeric(column.kind) || (measure === 'sum' && column.kind === 'percent'))
        continue
      add(
        figureLabels.of(words.measures[measure], column.name)[language],
        writeMeasured(value, column, language),
      )
    }
  }
  for (const { view, rows, share, change } of answers) {
    const column = view.column === undefined ? { kind: 'number' } : profile[view.column]!
    for (const { key, value } of rows.slice(0, maxRows))
      if (value !== null)
        add(
          `${view.title}: ${key}`,
          writeMeasured(value, countsOnly(view) ? { kind: 'number' } : column, language),
        )
    const largest = rows.toSorted((a, b) => Number(b.value ?? 0) - Number(a.value ?? 0))[0]
    if (share && largest)
      add(figureLabels.share(view.title, largest.key)[language], percentText(share, language))
    if (change) add(figureLabels.change(view.title)[language], percentText(change, language))
  }
  return found.slice(0, maxFigures).map((figure, index) => ({ id: `f${index + 1}`, ...figure }))
}
