import type { Language } from '#platform/errors'

export type SheetFormat = 'csv' | 'xlsx'

/**
 * What a column holds. `text`: names and ids, which stay as they are, whatever they look like. `integer` and `decimal`: numbers, or decimal texts of any
 * length. `day`: `2026-11-30`. `moment`: `2026-11-30 14:05:09`, in the time zone of which the title tells.
 * `label`: a text that the server itself writes, such as a Jalali day, which no program mistakes.
 */
export type ColumnKind = 'text' | 'integer' | 'decimal' | 'day' | 'moment' | 'label'

export interface SheetColumn {
  title: string
  kind: ColumnKind
}

/** Null is an empty cell. */
export type SheetValue = string | number | bigint | null

export interface Sheet {
  /** The name of the sheet in a workbook. */
  name: string
  language: Language
  columns: readonly SheetColumn[]
}

/** The text without characters that no file of these formats can hold. */
export const printable = (text: string): string => text.toWellFormed().replace(unprintable, '')

const unprintable = /(?![\t\n\r])[\p{Cc}\ufffe\uffff]/gu

/** Rows as texts, joined to pieces of about this many characters. */
const pieceCharacters = 65_536

export async function* inPieces(
  texts: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<Buffer, void, undefined> {
  let piece = ''
  for await (const text of texts) {
    piece += text
    if (piece.length < pieceCharacters) continue
    yield Buffer.from(piece)
    piece = ''
  }
  if (piece !== '') yield Buffer.from(piece)
}
