/** How answers look to people: aligned tables, and dates of their calendar. */
import type { Language } from '#platform/errors'
import type { BilingualText } from './command.ts'

export interface TableColumn<Row> {
  title: BilingualText
  show: (row: Row) => string
  /** Numbers stand at the end of their column. */
  numeric?: true
}

/** Rows as a table: one line for the titles and one for each row, columns two blanks apart. */
export function table<Row>(
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
  language: Language,
): string {
  const lines = [
    columns.map(({ title }) => title[language]),
    ...rows.map((row) => columns.map(({ show }) => show(row))),
  ]
  const widths = columns.map((_, at) => Math.max(...lines.map((cells) => width(cells[at] ?? ''))))
  return lines
    .map((cells) => {
      const padded = cells.map((cell, at) => pad(cell, widths[at] ?? 0, columns[at]?.numeric === true))
      return `${padded.join('  ').trimEnd()}\n`
    })
    .join('')
}

/** One row as a card: a line for each of its columns. */
export function card<Row>(row: Row, columns: readonly TableColumn<Row>[], language: Language): string {
  const labels = Math.max(...columns.map(({ title }) => width(title[language])))
  return columns.map(({ title, show }) => `  ${pad(title[language], labels, false)}  ${show(row)}\n`).join('')
}

function pad(text: string, cells: number, atEnd: boolean): string {
  const blanks = ' '.repeat(Math.max(0, cells - width(text)))
  return atEnd ? blanks + text : text + blanks
}

/** Cells a terminal gives a text: marks and joiners of Persian take none, CJK and pictures two. */
export function width(text: string): number {
  let cells = 0
  for (const character of text) {
    if (/[\p{M}\p{Cf}]/u.test(character)) continue
    cells +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u.test(
        character,
      )
        ? 2
        : 1
  }
  return cells
}

const jalali = new Intl.DateTimeFormat('fa-IR-u-ca-persian-nu-arabext', {
  timeZone: 'Asia/Tehran',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

/** Writes a day like `2026-11-30`: in Persian that of the Jalali calendar. */
export const showDay = (day: string, language: Language): string =>
  language === 'en' ? day : showTime(new Date(`${day}T12:00:00Z`), language).slice(0, '۱۴۰۵/۰۹/۰۹'.length)

/** Writes a time: in Persian the Jalali date and the time in Tehran, in English UTC. */
export function showTime(time: Date, language: Language): string {
  if (language === 'en') return `${time.toISOString().slice(0, 16).replace('T', ' ')}Z`
  return jalali.format(time).replace('،', '').replace(',', '')
}
