import { numbersOf } from '../research/evidence.ts'
import { hasWords, piecesOf } from '../research/sentences.ts'
import type { FoundTable } from './compute.ts'
import type { Figure } from './labelled-figures.ts'

const placeholder = /\{\{?\s*(f\d{1,3})\s*\}?\}/gi

/**
 * Inserts the computed numbers into the model's text. A sentence that names an unknown figure, or contains a number that
 * is neither computed nor in the data, is dropped.
 */
export function fillFigures(
  text: string,
  figures: readonly Figure[],
  { spec, sample, profile }: FoundTable,
): { text: string; dropped: number } {
  const byId = new Map(figures.map((figure) => [figure.id, figure.text]))
  // The part of the data that was in the prompt.
  const cells = [
    ...spec.table.columns.map(({ name }) => name),
    ...sample.flat().filter((cell) => cell !== null),
    ...profile.flatMap(({ top = [], min = '', max = '' }) => [min, max, ...top.map(({ value }) => value)]),
  ]
  const known = numbersOf([...cells, ...figures.map((figure) => figure.text)].join(' \n '))
  let dropped = 0
  const written = piecesOf(text.slice(0, 40_000)).map((piece) => {
    if (piece.kind === 'plain') return hasOnlyKnownNumbers(known, piece.text) ? piece.text : ''
    if (!hasWords(piece)) return ''
    const ids = [...piece.text.matchAll(placeholder)].map(([, id]) => id!.toLowerCase())
    const own = piece.text.replace(placeholder, ' ')
    if (ids.some((id) => !byId.has(id)) || /[{}]/.test(own) || !hasOnlyKnownNumbers(known, own)) {
      dropped += 1
      return ''
    }
    return piece.text.replace(placeholder, (_, id: string) => byId.get(id.toLowerCase())!) + piece.end
  })
  return {
    text: written
      .join('')
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
    dropped,
  }
}

/** The number of a list item is not a figure. */
const hasOnlyKnownNumbers = (known: ReadonlySet<string>, text: string): boolean =>
  [...numbersOf(text.replace(/^\s*(?:[\d۰-۹]{1,2}[.)]\s*)?/, ''))].every((number) => known.has(number))
