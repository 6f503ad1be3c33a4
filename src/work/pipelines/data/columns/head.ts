/** Whether the first row of a table names its columns, and the names. */
import { tidyText } from '../values/fold.ts'
import { numeralOf } from '../values/numerals.ts'
import { isValue } from './survey.ts'

const maxName = 80
const year = /^(?:1[34]|19|20)\d\d$/

const currency = /^(?:ریال|تومان|دلار|یورو|پوند|درهم|لیر|یوان|[$€£¥₺]|[A-Z]{3})$/u

/** «3 ماهه» above bare numbers is a name; «3 عدد» above «5 بسته» and «3 تومان» are values. */
function isNumberedName(cell: string, below: readonly string[]): boolean {
  const isCounted = (unit: string | undefined) => unit !== undefined && unit !== '' && !currency.test(unit)
  return isCounted(numeralOf(cell)?.unit) && !below.some((each) => isCounted(numeralOf(each)?.unit))
}

/** The first row contains names if it has words where values follow, or at least different words. */
export function hasHeaderRow(rows: readonly (readonly string[])[]): boolean {
  const [first = [], ...rest] = rows
  if (rest.length === 0) return false
  const belowOf = (place: number) => rest.map((row) => row[place] ?? '')
  const isData = (cell: string, place: number) =>
    isValue(cell) && !year.test(cell) && !isNumberedName(cell, belowOf(place))
  if (first.some(isData)) return false
  if (first.some((cell) => cell.length > maxName)) return false
  const isYear = (cell: string) => year.test(cell)
  const hasValues = first.some((cell, place) => {
    const below = belowOf(place)
    return below.some(isValue) && !(isYear(cell) && below.every(isYear))
  })
  // In a table of words only, a repeated name shows that the row is data.
  const differ = new Set(first).size === first.length
  return hasValues || (differ && !rest.some((row) => row.some((cell) => isValue(cell))))
}

export interface ColumnNames {
  names: string[]
  /** Names that occurred more than once. */
  renamed: string[]
  nameless: string[]
}

export function uniqueNames(
  written: readonly string[],
  width: number,
  numbered: (place: number) => string,
): ColumnNames {
  const taken = new Set<string>()
  const found: ColumnNames = { names: [], renamed: [], nameless: [] }
  for (let place = 0; place < width; place += 1) {
    const plain = tidyText(written[place] ?? '')
      .slice(0, maxName)
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
