/** Whether the first row of a table names its columns, and the names. */
import { tidyText } from '../values/fold.ts'
import { isValue } from './survey.ts'

const mostName = 80
const year = /^(?:1[34]|19|20)\d\d$/

/** A first row of names: words where values follow, or at least words that differ. */
export function namesColumns(rows: readonly (readonly string[])[]): boolean {
  const [first = [], ...rest] = rows
  if (rest.length === 0 || first.some((cell) => isValue(cell) && !year.test(cell))) return false
  if (first.some((cell) => cell.length > mostName)) return false
  const isYear = (cell: string) => year.test(cell)
  const hasValues = first.some((cell, place) => {
    const below = rest.map((row) => row[place] ?? '')
    return below.some(isValue) && !(isYear(cell) && below.every(isYear))
  })
  // Among words alone, a name that stands twice is no name.
  const differ = new Set(first).size === first.length
  return hasValues || (differ && !rest.some((row) => row.some((cell) => isValue(cell))))
}

export interface Names {
  names: string[]
  /** Those that stood there more than once. */
  renamed: string[]
  nameless: string[]
}

export function uniqueNames(
  written: readonly string[],
  width: number,
  numbered: (place: number) => string,
): Names {
  const taken = new Set<string>()
  const found: Names = { names: [], renamed: [], nameless: [] }
  for (let place = 0; place < width; place += 1) {
    const plain = tidyText(written[place] ?? '')
      .slice(0, mostName)
      .toWellFormed()
    const wanted = plain || numbered(place + 1)
    let name = wanted
    for (let copy = 2; taken.has(name); copy += 1) name = `${wanted} (${copy})`
    taken.add(name)
    found.names.push(name)
    if (plain === '' && written.length > 0) found.nameless.push(name)
    else if (name !== wanted) found.renamed.push(name)
  }
  return found
}
