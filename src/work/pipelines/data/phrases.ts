import type { Language } from '#work/documents'
import type { Localized } from '../phrases.ts'
import type { ColumnKind } from './columns/decide.ts'
import type { Measure } from './figures.ts'
import type { UnreadReason } from './rows/open.ts'
import { writeDecimal } from './write-number.ts'

export const dataPhrases = {
  reading: { fa: 'خواندن داده‌ها', en: 'Reading the data' },
  planning: { fa: 'طرح تحلیل', en: 'Planning the analysis' },
  plan: { fa: 'طرح تحلیل', en: 'the plan of the analysis' },
  computing: { fa: 'محاسبه', en: 'Computing' },
  figures: { fa: 'محاسبهٔ جدول‌ها', en: 'the computed tables' },
  summing: { fa: 'نوشتن خلاصه', en: 'Writing the summary' },
  text: { fa: 'متن خلاصه', en: 'the text of the summary' },
  drawing: { fa: 'کشیدن نمودارها', en: 'Drawing the charts' },
  files: { fa: 'ساختن فایل‌ها', en: 'Making the files' },
  table: { fa: 'جدول داده', en: 'a table of data' },
  done: {
    fa: 'تحلیل آماده است؛ همهٔ عددها را برنامه محاسبه کرده است.',
    en: 'The analysis is ready; code computed all of its numbers.',
  },
  partial: { fa: 'تحلیل تا جایی که شد آماده است.', en: 'The analysis is ready as far as it could be made.' },
  rows: { fa: 'ردیف‌های داده', en: 'rows of the data' },
  columns: { fa: 'ستون‌های داده', en: 'columns of the data' },
  wholeText: { fa: 'متن داده', en: 'text of the data' },
  sheets: { fa: 'برگه‌های کارپوشه', en: 'sheets of the workbook' },
  tables: { fa: 'workbook.xlsx و cleaned.csv', en: 'workbook.xlsx and cleaned.csv' },
  dataless: {
    fa: 'در درخواست داده‌ای یافت نشد؛ چیزی هم ساخته نشد.',
    en: 'No data was found in the request, and none was invented.',
  },
} satisfies Record<string, Localized>

interface SummaryWords {
  column: string
  other: string
  data: string
  columns: string
  type: string
  count: string
  missing: string
  distinct: string
  rows: string
  deviation: string
  total: string
  overview: string
  findings: string
  details: string
  cleaning: string
  value: string
  nothing: string
  nothingHow: string
  cleaned: string
  workbook: string
  measures: Record<Measure, string>
  kinds: Record<ColumnKind, string>
}

export const summaryPhrases: Record<Language, SummaryWords> = {
  fa: {
    column: 'ستون',
    other: 'سایر',
    data: 'داده‌ها',
    columns: 'ستون‌ها',
    type: 'نوع',
    count: 'تعداد',
    missing: 'بی‌مقدار',
    distinct: 'یکتا',
    rows: 'ردیف',
    deviation: 'انحراف معیار',
    total: 'کل',
    overview: 'نگاه کلی',
    findings: 'یافته‌ها',
    details: 'جدول‌ها و نمودارها',
    cleaning: 'پاک‌سازی',
    value: 'مقدار',
    nothing: 'داده‌ای یافت نشد',
    nothingHow:
      'در درخواست، فایل‌ها و پیوندهای آن جدولی نبود. داده‌ها را به شکل CSV، TSV یا JSON در همان درخواست بگذارید (ردیف نخست نام ستون‌ها، و هر ردیف در یک خط)، یا نشانی https فایل CSV، XLSX یا JSON را بنویسید. هیچ عددی از خودمان نساخته‌ایم.',
    cleaned: 'داده‌های پاک‌شده',
    workbook: 'کارپوشه',
    measures: {
      sum: 'جمع',
      mean: 'میانگین',
      median: 'میانه',
      min: 'کمینه',
      max: 'بیشینه',
      count: 'تعداد',
      distinct: 'شمار یکتای',
    },
    kinds: { number: 'عدد', percent: 'درصد', date: 'تاریخ', time: 'ساعت', text: 'متن' },
  },
  en: {
    column: 'Column',
    other: 'Other',
    data: 'Data',
    columns: 'Columns',
    type: 'Type',
    count: 'Count',
    missing: 'Missing',
    distinct: 'Distinct',
    rows: 'Rows',
    deviation: 'Standard deviation',
    total: 'Total',
    overview: 'Overview',
    findings: 'Findings',
    details: 'Tables and charts',
    cleaning: 'Cleaning',
    value: 'Value',
    nothing: 'No data was found',
    nothingHow:
      'There was no table in the request, its files or its links. Put the data into the request itself as CSV, TSV or JSON (the names of the columns in the first row, and one row in each line), or write the https address of a CSV, XLSX or JSON file. No number was invented.',
    cleaned: 'Cleaned data',
    workbook: 'Workbook',
    measures: {
      sum: 'Sum',
      mean: 'Mean',
      median: 'Median',
      min: 'Minimum',
      max: 'Maximum',
      count: 'Count',
      distinct: 'Distinct count',
    },
    kinds: { number: 'number', percent: 'percent', date: 'date', time: 'time', text: 'text' },
  },
}

/** The title of a view: «جمع فروش به تفکیک ماه», "Sum of sales by month". */
export function viewTitle(
  measure: Measure,
  column: string | undefined,
  by: string,
  language: Language,
): string {
  const name = summaryPhrases[language].measures[measure]
  if (language === 'fa')
    return column === undefined ? `${name} به تفکیک ${by}` : `${name} ${column} به تفکیک ${by}`
  return column === undefined ? `${name} by ${by}` : `${name} of ${column} by ${by}`
}

export const againstTitle = (x: string, y: string, language: Language): string =>
  language === 'fa' ? `${y} در برابر ${x}` : `${y} against ${x}`

const counted = (number: number, language: Language): string => writeDecimal(String(number), language)

/** Descriptions of limits that were reached, appended to the name of what was truncated. */
export const boundPhrases = {
  rows: (rows: number, of: number): Localized => ({
    fa: `${counted(rows, 'fa')} از ${counted(of, 'fa')} ردیف`,
    en: `${counted(rows, 'en')} of ${counted(of, 'en')} rows`,
  }),
  columns: (read: number, of: number): Localized => ({
    fa: `${counted(read, 'fa')} از ${counted(of, 'fa')} ستون`,
    en: `${counted(read, 'en')} of ${counted(of, 'en')} columns`,
  }),
  characters: (read: number, of: number): Localized => ({
    fa: `${counted(read, 'fa')} از ${counted(of, 'fa')} کاراکتر`,
    en: `${counted(read, 'en')} of ${counted(of, 'en')} characters`,
  }),
  sheets: (count: number): Localized => ({
    fa: `${counted(count, 'fa')} برگهٔ پایانی خوانده نشد`,
    en: `the last ${counted(count, 'en')} were not read`,
  }),
  points: (points: number, of: number): Localized => ({
    fa: `نمودار ${counted(points, 'fa')} نقطه از ${counted(of, 'fa')} نقطه را نشان می‌دهد، یکنواخت از همهٔ ردیف‌ها.`,
    en: `The chart shows ${counted(points, 'en')} of ${counted(of, 'en')} points, evenly from all rows.`,
  }),
  groups: (shown: number, of: number): Localized => ({
    fa: `${counted(shown, 'fa')} ردیف آخر از ${counted(of, 'fa')} ردیف؛ همهٔ آن‌ها در workbook.xlsx است.`,
    en: `The last ${counted(shown, 'en')} of ${counted(of, 'en')} rows; all of them stand in workbook.xlsx.`,
  }),
  unused: (rows: number): Localized => ({
    fa: `ستون‌های دیگری دارد و خوانده نشد؛ ${counted(rows, 'fa')} ردیف`,
    en: `it has other columns and was not used; ${counted(rows, 'en')} rows`,
  }),
}

/** Why a source was not read. */
export const sourcePhrases = {
  deleted: { fa: 'این فایل پاک شده است', en: 'the file has been deleted' },
  tooMany: { fa: 'بیش از ۴ پیوند خوانده نمی‌شود', en: 'no more than 4 links are read' },
  unreadable: { fa: 'صفحه خوانده نشد', en: 'the page could not be read' },
  pageCut: { fa: 'فقط آغاز این صفحه خوانده شد', en: 'only the beginning of the page was read' },
  plainHttp: (why: Localized): Localized => ({
    fa: `فقط نشانی‌های https خوانده می‌شود، و با https: ${why.fa}`,
    en: `only https addresses are read, and by https: ${why.en}`,
  }),
}

/** Why no table was read from a source. */
export const unreadPhrases: Record<UnreadReason, Localized> = {
  empty: { fa: 'فایل خالی است', en: 'the file is empty' },
  'old-excel': {
    fa: 'قالب کهنهٔ XLS خوانده نمی‌شود؛ آن را در اکسل به XLSX یا CSV ذخیره کنید',
    en: 'the old XLS format is not read; save it as XLSX or CSV',
  },
  page: { fa: 'این یک صفحهٔ وب است و نه فایل داده', en: 'it is a web page and no file of data' },
  pdf: { fa: 'از PDF داده خوانده نمی‌شود', en: 'no data is read from PDF files' },
  packed: {
    fa: 'فایل فشرده است؛ CSV، XLSX یا JSON را باز کرده بفرستید',
    en: 'it is an archive; send the CSV, XLSX or JSON file itself',
  },
  'too-large': {
    fa: 'بزرگ‌تر از آن است که خوانده شود (۲۰۰ مگابایت، و بازشدهٔ XLSX دو گیگابایت)',
    en: 'it is larger than is read (200 MB, and 2 GB where an XLSX unpacks)',
  },
  broken: { fa: 'فایل خراب است', en: 'the file is damaged' },
  'no-table': { fa: 'جدولی در آن یافت نشد', en: 'no table was found in it' },
}

/** Describes the table in one sentence; the numbers are already formatted. */
export const overviewText = (rows: string, columns: string, missing: string, language: Language): string =>
  language === 'fa'
    ? `جدول ${rows} ردیف و ${columns} ستون دارد؛ خانه‌های بی‌مقدار: ${missing}. همهٔ عددهای این خلاصه را برنامه از روی داده‌ها محاسبه کرده است.`
    : `The table has ${rows} rows and ${columns} columns; empty cells: ${missing}. Code computed all numbers of this summary from the data.`

export const figureLabels = {
  of: (measure: string, column: string): Localized => ({
    fa: `${measure} ${column}`,
    en: `${measure} of ${column}`,
  }),
  share: (title: string, key: string): Localized => ({
    fa: `سهم بزرگ‌ترین (${key}) در «${title}»`,
    en: `share of the largest (${key}) in “${title}”`,
  }),
  change: (title: string): Localized => ({
    fa: `تغییر از نخستین تا آخرین در «${title}»`,
    en: `change from first to last in “${title}”`,
  }),
}

/** Parts of the sentences by which callers choose a kind. */
export const dataKindPhrases = {
  makes: { fa: 'دادهٔ محاسبه‌شده با نمودار', en: 'computed data with charts' },
}
