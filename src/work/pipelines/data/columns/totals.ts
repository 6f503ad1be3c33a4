/** Detects total rows («جمع کل»). If they were counted with the other rows, they would double every sum. */
import { foldKey } from '../values/fold.ts'
import { hasDigit, isMissing } from './survey.ts'

const labels = new Set(
  [
    'جمع',
    'جمع کل',
    'مجموع',
    'مجموع کل',
    'کل',
    'جمع نهایی',
    'جمع جزء',
    'جمع جزئی',
    'سرجمع',
    'جمع صفحه',
    'total',
    'totals',
    'grand total',
    'subtotal',
    'sub total',
    'sub-total',
    'sum',
    'overall total',
  ].map(foldKey),
)

/** The label of a row that looks like a total: its first value names a total, and all its other values contain digits. */
export function totalLabel(row: readonly string[]): { label: string; isAlone: boolean } | undefined {
  const first = row.findIndex((cell) => !isMissing(cell))
  const label = row[first]
  if (label === undefined || label.length > 24 || hasDigit(label)) return undefined
  if (!labels.has(foldKey(label.replace(/[:：]\s*$/, '')))) return undefined
  const others = row.filter((cell, place) => place !== first && !isMissing(cell))
  if (others.length === 0 || !others.some(hasDigit) || others.some((cell) => !hasDigit(cell)))
    return undefined
  return { label, isAlone: row.length > others.length + 1 }
}

const maxStored = 10_000

/**
 * Detects totals during one pass. A row with the label of a total is one if cells are empty that other rows fill; at the end of a source it always is
 * one, also if only remarks without numbers follow.
 */
export class TotalsDetector {
  readonly #found: number[] = []
  #tail: number[] = []
  #source = 0

  addRow(row: readonly string[], ordinal: number, source: number): void {
    if (source !== this.#source) this.#endSource(source)
    const found = totalLabel(row)
    if (!found) {
      if (this.#tail.length > 0 && row.some(hasDigit)) this.#tail = []
      return
    }
    if (found.isAlone && this.#found.length < maxStored) this.#found.push(ordinal)
    else this.#tail.push(ordinal)
  }

  #endSource(next: number): void {
    for (const ordinal of this.#tail) this.#found.push(ordinal)
    this.#tail = []
    this.#source = next
  }

  /** Row numbers of the totals. */
  totalRows(): number[] {
    return [...this.#found, ...this.#tail].toSorted((a, b) => a - b)
  }
}
