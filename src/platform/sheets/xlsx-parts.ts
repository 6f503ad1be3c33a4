/** The parts of a workbook around its rows. */
import type { Language } from '#platform/errors'
import { printable, type Sheet, type SheetColumn } from './sheet.ts'

const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packages = 'http://schemas.openxmlformats.org/package/2006'

/** The places of the styles in the list of `stylesOf`. */
export const styleOf = {
  title: 1,
  integer: 4,
  decimal: 5,
  day: 6,
  moment: 7,
  /** Text wholly in Latin letters is written from left to right in a Persian sheet, ids and signs too. */
  text: (text: string, language: Language): number => (language === 'en' || rightToLeft.test(text) ? 2 : 3),
}

const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}]/u

const widths: Record<SheetColumn['kind'], number> = {
  text: 38,
  integer: 14,
  decimal: 18,
  day: 13,
  moment: 20,
  label: 13,
}

interface Parts {
  /** The sheet before its rows, and after them. */
  before: string
  after: string
  /** All other files, by their names. */
  others: Record<string, string>
}

export function partsOf(sheet: Sheet): Parts {
  const { language, columns } = sheet
  const cols = columns.map(
    ({ kind, title }, at) =>
      `<col min="${at + 1}" max="${at + 1}" width="${Math.max(widths[kind], title.length + 3)}" customWidth="1"/>`,
  )
  const view = `<sheetView workbookViewId="0"${language === 'fa' ? ' rightToLeft="1"' : ''}><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView>`
  return {
    before: `${head}<worksheet xmlns="${main}"><sheetViews>${view}</sheetViews><sheetFormatPr defaultRowHeight="15"/><cols>${cols.join('')}</cols><sheetData>`,
    after: '</sheetData></worksheet>',
    others: {
      '[Content_Types].xml': contentTypes,
      '_rels/.rels': relationsOf({ rId1: ['officeDocument', 'xl/workbook.xml'] }),
      'xl/workbook.xml': workbookOf(sheet),
      'xl/_rels/workbook.xml.rels': relationsOf({
        rId1: ['worksheet', 'worksheets/sheet1.xml'],
        rId2: ['styles', 'styles.xml'],
      }),
      'xl/styles.xml': stylesOf(language),
    },
  }
}

const mediaTypes = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
const contentTypes = `${head}<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${mediaTypes}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${mediaTypes}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${mediaTypes}.styles+xml"/></Types>`

function relationsOf(targets: Record<string, [kind: string, target: string]>): string {
  const all = Object.entries(targets).map(
    ([id, [kind, target]]) => `<Relationship Id="${id}" Type="${relations}/${kind}" Target="${target}"/>`,
  )
  return `${head}<Relationships xmlns="${packages}/relationships">${all.join('')}</Relationships>`
}

/** A name of a sheet has 31 characters at most, and none of `[]:*?/\`. */
const workbookOf = ({ name }: Sheet): string =>
  `${head}<workbook xmlns="${main}" xmlns:r="${relations}"><sheets><sheet name="${attribute(
    printable(name)
      .replace(/[[\]:*?/\\]/g, ' ')
      .slice(0, 31)
      .toWellFormed(),
  )}" sheetId="1" r:id="rId1"/></sheets></workbook>`

const attribute = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** Faces that are present wherever an office suite is, since workbooks contain no fonts. */
const faces: Record<Language, string> = { fa: 'Tahoma', en: 'Calibri' }

/** In a Persian sheet numbers are shown in Persian digits: the last two bytes of the sign name the language, the first byte the digits. */
function stylesOf(language: Language): string {
  const digits = language === 'fa' ? '[$-3000429]' : ''
  /** The direction of a text: 2 is from right to left, 1 from left to right, 0 that of its first letter. */
  const [base, latin] = language === 'fa' ? [2, 1] : [0, 0]
  const side = language === 'fa' ? 'right' : 'left'
  const font = (more: string) => `<font>${more}<sz val="11"/><name val="${faces[language]}"/></font>`
  const align = (horizontal: string, order: number) =>
    `<alignment horizontal="${horizontal}" vertical="center" readingOrder="${order}"/>`
  const cell = (format: number, more = '', inside = '') =>
    `<xf numFmtId="${format}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"${more}${inside === '' ? '/>' : `>${inside}</xf>`}`
  const formats = [`${digits}#,##0`, `${digits}#,##0.00####`, 'yyyy-mm-dd', 'yyyy-mm-dd hh:mm:ss']
  const all = [
    cell(0),
    `<xf numFmtId="49" fontId="1" fillId="2" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1" applyFill="1" applyAlignment="1">${align('center', base)}</xf>`,
    cell(49, ' applyAlignment="1"', align(side, base)),
    cell(49, ' applyAlignment="1"', align(side, latin)),
    ...formats.map((_, at) => cell(164 + at)),
  ]
  return `${head}<styleSheet xmlns="${main}"><numFmts count="${formats.length}">${formats.map((format, at) => `<numFmt numFmtId="${164 + at}" formatCode="${attribute(format)}"/>`).join('')}</numFmts><fonts count="2">${font('')}${font('<b/><color rgb="FFFFFFFF"/>')}</fonts><fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FF0F6466"/></patternFill></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="${all.length}">${all.join('')}</cellXfs></styleSheet>`
}
