import { type Cell, type CellStyle, type CellValue, type WriteSheet, writeXlsx } from 'hucre'
import { directionOf, directionOfLanguage } from '../direction.ts'
import type { Direction, Language } from '../model.ts'
import { printable } from '../prepare.ts'
import { colours, sheetFaces } from '../theme.ts'
import { cellValue, kindOf } from './cells.ts'
import { sheetNames } from './names.ts'
import { type ColumnKind, checkWorkbook, type Sheet, type Workbook } from './workbook.ts'

/** The most characters of a cell in the format; programs refuse the whole file because of one longer text. */
const maxCharacters = 32_767
const width = { min: 9, max: 60 }

/** A workbook of values: no formula is ever written, whatever a text looks like. */
export function writeWorkbook(workbook: Workbook): Promise<Uint8Array> {
  checkWorkbook(workbook)
  const { language, title, author, sheets } = workbook
  const names = sheetNames(
    sheets.map(({ name }) => name),
    language,
  )
  const now = new Date()
  return writeXlsx({
    sheets: sheets.map((sheet, index) => sheetOf(sheet, names[index]!, language)),
    properties: {
      ...(title && { title: printable(title) }),
      creator: printable(author ?? 'Kherad'),
      created: now,
      modified: now,
    },
    defaultFont: { name: sheetFaces[language], size: 11, color: { rgb: colours.ink } },
  })
}

/** The last two bytes name the language (fa-IR), the byte before them the calendar (Jalali), the first byte the shape of the digits. */
const persian = { digits: '[$-3000429]', days: '[$-3160429]' }

function formatOf(kind: ColumnKind, language: Language, integersOnly: boolean): string {
  const digits = language === 'fa' ? persian.digits : ''
  switch (kind) {
    case 'number':
      return `${digits}#,##0${integersOnly ? '' : '.##'}`
    case 'percent':
      return `${digits}0.0%`
    case 'date':
      return language === 'fa' ? `${persian.days}yyyy/mm/dd` : 'yyyy-mm-dd'
    case 'yes-no':
      return 'General'
    case 'text':
      // The cell stays text when it is edited, even if it begins with `=`.
      return '@'
  }
}

function sheetOf({ columns, rows }: Sheet, name: string, language: Language): WriteSheet {
  const kinds = columns.map((column, place) => kindOf(column, valuesOf(rows, place)))
  const values = rows.map((row) => kinds.map((kind, place) => cellOf(cellValue(row[place], kind))))
  const header = columns.map(({ title }) => cellOf(title) as string)
  const sheetColumns = columns.map((_, place) =>
    columnOf(kinds[place]!, header[place]!, values, place, language),
  )
  return {
    name,
    view: { rightToLeft: language === 'fa' },
    freezePane: { rows: 1 },
    autoFilter: { range: `A1:${letterOf(columns.length)}${rows.length + 1}` },
    columns: sheetColumns,
    rows: [header, ...values],
    cells: new Map([
      ...header.map((value, place): [string, Partial<Cell>] => [
        `0,${place}`,
        { value, type: 'string', style: headerStyle(kinds[place]!, directionOf(value, language), language) },
      ]),
      ...directedCells(values, sheetColumns, language),
    ]),
    rowDefs: new Map([[0, { height: 24 }]]),
  }
}

function* valuesOf(rows: Sheet['rows'], place: number) {
  for (const row of rows) yield row[place] ?? null
}

/**
 * A value as the format spells it: text without characters that it cannot contain, and `_x0041_` as these characters and not as the one that they
 * name.
 */
function cellOf(value: CellValue): CellValue {
  if (typeof value !== 'string') return value
  const text = printable(value).replace(/\r\n?/g, '\n')
  const spelled = text.replace(/_(?=x[\dA-Fa-f]{4}_)/g, '_x005F_')
  return spelled.length <= maxCharacters ? spelled : `${spelled.slice(0, maxCharacters - 1).toWellFormed()}…`
}

/** The alignment of a column: texts begin where the sheet begins, numbers are aligned by the spreadsheet. */
const sideOf = (kind: ColumnKind, language: Language) =>
  kind === 'text' ? (language === 'fa' ? 'right' : 'left') : 'general'

/**
 * Cells with text wholly of the other script, which have its direction, as paragraphs do. All others have the direction of the sheet and not that of
 * their first letter: a Persian sentence may begin with a Latin name, and not every program goes by the first letter.
 */
function* directedCells(
  rows: CellValue[][],
  columns: readonly { style: CellStyle }[],
  language: Language,
): Generator<[string, Partial<Cell>]> {
  for (const [row, values] of rows.entries())
    for (const [place, value] of values.entries()) {
      if (typeof value !== 'string') continue
      const readingOrder = directionOf(value, language)
      if (readingOrder === directionOfLanguage(language)) continue
      const { style } = columns[place]!
      const alignment = { ...style.alignment, readingOrder }
      yield [`${row + 1},${place}`, { value, type: 'string', style: { ...style, alignment } }]
    }
}

const headerStyle = (kind: ColumnKind, readingOrder: Direction, language: Language): CellStyle => ({
  font: { name: sheetFaces[language], size: 11, bold: true, color: { rgb: 'FFFFFF' } },
  fill: { type: 'pattern', pattern: 'solid', fgColor: { rgb: colours.accent } },
  alignment: {
    vertical: 'center',
    horizontal: kind === 'text' ? sideOf(kind, language) : 'center',
    readingOrder,
  },
  numFmt: '@',
})

function columnOf(kind: ColumnKind, title: string, rows: CellValue[][], place: number, language: Language) {
  let maxLength = title.length + 4
  let integersOnly = true
  for (const row of rows) {
    const value = row[place]
    if (typeof value === 'string') maxLength = Math.max(maxLength, lineLength(value))
    else if (typeof value === 'number') {
      maxLength = Math.max(maxLength, Math.ceil(String(value).length * 1.3))
      integersOnly &&= Number.isInteger(value)
    }
  }
  const wraps = kind === 'text' && maxLength > width.max
  return {
    width: Math.min(width.max, Math.max(kind === 'date' ? 12 : width.min, maxLength + 2)),
    style: {
      numFmt: formatOf(kind, language, integersOnly),
      alignment: {
        vertical: 'top',
        horizontal: sideOf(kind, language),
        ...(kind === 'text' && { readingOrder: directionOfLanguage(language) }),
        ...(wraps && { wrapText: true }),
      },
    } satisfies CellStyle,
  }
}

const lineLength = (text: string): number =>
  text.length <= width.max
    ? text.split('\n').reduce((max, line) => Math.max(max, line.length), 0)
    : width.max + 1

/** The letters of a column: 1 is A, 27 is AA. */
const letterOf = (column: number): string =>
  column > 26
    ? letterOf(Math.floor((column - 1) / 26)) + letterOf(((column - 1) % 26) + 1)
    : String.fromCharCode(64 + Math.max(1, column))
