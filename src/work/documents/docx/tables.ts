import {
  AlignmentType,
  BorderStyle,
  type ITableCellOptions,
  Paragraph,
  ShadingType,
  Table,
  TableCell,
  TableLayoutType,
  TableRow,
  VerticalAlign,
  WidthType,
} from 'docx'
import { directionOf } from '../direction.ts'
import { type Alignment, type Cell, type Language, plainText, type TableBlock } from '../model.ts'
import { colours } from '../theme.ts'
import { runsOf } from './runs.ts'

/** Widths in twentieths of a point: of the text on A4, of a character, and of the edges of a cell. */
const textWidth = 9_070
const characterWidth = 112
const cellPadding = 260
/** The longest text and word, in characters, that a column is made wide enough for. */
const maxCharacters = 45
const maxInWord = 18

/** Sizes of text in half points; tables with many columns are set smaller. */
const usualSize = 19
const sizeOf = (columns: number): number => (columns > 6 ? 16 : usualSize)

const none = { style: BorderStyle.NONE, size: 0, color: 'auto' }
const hairline = { style: BorderStyle.SINGLE, size: 4, color: colours.line }
const strong = { style: BorderStyle.SINGLE, size: 8, color: colours.accent }

/** A table. Its header repeats on every page, and its columns run from the side where the text begins. */
export function tableOf(table: TableBlock, language: Language, indent: number): Table {
  const widths = columnWidths(table, textWidth - indent)
  const row = (cells: Cell[], index: number) =>
    new TableRow({
      tableHeader: index === 0,
      cantSplit: true,
      // A short table stays on one page.
      keepNext: index === 0 || (table.rows.length <= 12 && index < table.rows.length),
      children: cells.map((content, column) =>
        cellOf(content, {
          language,
          header: index === 0,
          size: sizeOf(table.header.length),
          width: widths[column]!,
          align: table.align?.[column] ?? 'start',
        }),
      ),
    })
  return new Table({
    ...(language === 'fa' && { visuallyRightToLeft: true }),
    alignment: AlignmentType.CENTER,
    layout: TableLayoutType.FIXED,
    width: { size: widths.reduce((sum, width) => sum + width, 0), type: WidthType.DXA },
    columnWidths: widths,
    margins: { top: 40, bottom: 40, left: 120, right: 120 },
    borders: {
      top: strong,
      bottom: strong,
      left: none,
      right: none,
      insideVertical: none,
      insideHorizontal: hairline,
    },
    rows: [table.header, ...table.rows].map(row),
  })
}

interface CellContext {
  language: Language
  header: boolean
  width: number
  align: Alignment
  size: number
}

function cellOf(content: Cell, { language, header, width, align, size }: CellContext): TableCell {
  const direction = directionOf(content, language)
  const options: ITableCellOptions = {
    width: { size: width, type: WidthType.DXA },
    verticalAlign: VerticalAlign.CENTER,
    ...(header && {
      shading: { type: ShadingType.CLEAR, color: 'auto', fill: colours.wash },
      borders: { bottom: { ...strong, size: 4 } },
    }),
    children: [
      new Paragraph({
        style: 'TableText',
        bidirectional: direction === 'rtl',
        alignment: sideIn(align, direction, language),
        children: runsOf(content, direction, language, { size, ...(header && { bold: true }) }),
      }),
    ],
  }
  return new TableCell(options)
}

/** A Latin word in a Persian table stays on the side of its column. */
function sideIn(align: Alignment, direction: string, language: Language) {
  if (align === 'center') return AlignmentType.CENTER
  const turned = (direction === 'rtl') !== (language === 'fa')
  return (align === 'end') !== turned ? AlignmentType.END : AlignmentType.START
}

/**
 * The width of each column: that of its longest text if all fit; otherwise that of its longest word, and the remaining width is shared by the columns
 * that need more.
 */
function columnWidths({ header, rows }: TableBlock, available: number): number[] {
  const columns = header.map((cell, column) => {
    const texts = [cell, ...rows.map((row) => row[column]!)].map(plainText)
    const wanted = Math.min(maxCharacters, maxLengthOf(texts))
    const word = Math.min(maxInWord, maxLengthOf(texts.flatMap((text) => text.split(/[\s/.?&=_-]+/))))
    return { wanted: widthOf(wanted, header.length), least: widthOf(word, header.length) }
  })
  const wanted = columns.reduce((sum, column) => sum + column.wanted, 0)
  const least = columns.reduce((sum, column) => sum + column.least, 0)
  if (wanted <= available) return columns.map((column) => column.wanted)
  const room = Math.max(0, available - least) / Math.max(1, wanted - least)
  const scale = Math.min(1, available / least)
  return columns.map((column) => Math.floor((column.least + room * (column.wanted - column.least)) * scale))
}

const maxLengthOf = (texts: readonly string[]): number =>
  texts.reduce((max, text) => Math.max(max, text.length), 3)

const widthOf = (characters: number, columns: number): number =>
  cellPadding + Math.round((characters * characterWidth * sizeOf(columns)) / usualSize)
