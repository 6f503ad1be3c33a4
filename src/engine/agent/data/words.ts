import type { Language } from '#engine/documents'
import type { Words } from '../words.ts'
import type { Measure } from './figures.ts'

export const dataWords = {
  reading: { fa: 'خواندن داده‌ها', en: 'Reading the data' },
  planning: { fa: 'طرح تحلیل', en: 'Planning the analysis' },
  plan: { fa: 'طرح تحلیل', en: 'the plan of the analysis' },
  computing: { fa: 'محاسبه', en: 'Computing' },
  figures: { fa: 'محاسبهٔ جدول‌ها', en: 'the computed tables' },
  summing: { fa: 'نوشتن خلاصه', en: 'Writing the summary' },
  text: { fa: 'متن خلاصه', en: 'the text of the summary' },
  drawing: { fa: 'کشیدن نمودارها', en: 'Drawing the charts' },
  files: { fa: 'ساختن پرونده‌ها', en: 'Making the files' },
  table: { fa: 'جدول داده', en: 'a table of data' },
  done: {
    fa: 'تحلیل آماده است؛ همهٔ عددها را برنامه محاسبه کرده است.',
    en: 'The analysis is ready; code computed all of its numbers.',
  },
  partial: { fa: 'تحلیل تا جایی که شد آماده است.', en: 'The analysis is ready as far as it could be made.' },
  dataless: {
    fa: 'در درخواست داده‌ای یافت نشد؛ چیزی هم ساخته نشد.',
    en: 'No data was found in the request, and none was invented.',
  },
} satisfies Record<string, Words>

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
  kinds: Record<'number' | 'percent' | 'date' | 'text', string>
}

export const summaryWords: Record<Language, SummaryWords> = {
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
      'در متن درخواست جدولی نبود. داده‌ها را به شکل CSV، TSV یا JSON در همان درخواست بگذارید: ردیف نخست نام ستون‌ها، و هر ردیف در یک خط. هیچ عددی از خودمان نساخته‌ایم.',
    cleaned: 'داده‌های پاک‌شده',
    workbook: 'کارپوشه',
    measures: { sum: 'جمع', mean: 'میانگین', median: 'میانه', min: 'کمینه', max: 'بیشینه', count: 'تعداد' },
    kinds: { number: 'عدد', percent: 'درصد', date: 'تاریخ', text: 'متن' },
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
      'There was no table in the request. Put the data into the request itself as CSV, TSV or JSON: the names of the columns in the first row, and one row in each line. No number was invented.',
    cleaned: 'Cleaned data',
    workbook: 'Workbook',
    measures: { sum: 'Sum', mean: 'Mean', median: 'Median', min: 'Minimum', max: 'Maximum', count: 'Count' },
    kinds: { number: 'number', percent: 'percent', date: 'date', text: 'text' },
  },
}

/** «جمع فروش به تفکیک ماه», "Sum of sales by month". */
export function viewTitle(
  measure: Measure,
  column: string | undefined,
  by: string,
  language: Language,
): string {
  const name = summaryWords[language].measures[measure]
  if (language === 'fa')
    return column === undefined ? `${name} به تفکیک ${by}` : `${name} ${column} به تفکیک ${by}`
  return column === undefined ? `${name} by ${by}` : `${name} of ${column} by ${by}`
}

export const againstTitle = (x: string, y: string, language: Language): string =>
  language === 'fa' ? `${y} در برابر ${x}` : `${y} against ${x}`

/** The table in one sentence; the numbers are written already. */
export const overviewText = (rows: string, columns: string, missing: string, language: Language): string =>
  language === 'fa'
    ? `جدول ${rows} ردیف و ${columns} ستون دارد؛ خانه‌های بی‌مقدار: ${missing}. همهٔ عددهای این خلاصه را برنامه از روی داده‌ها محاسبه کرده است.`
    : `The table has ${rows} rows and ${columns} columns; empty cells: ${missing}. Code computed all numbers of this summary from the data.`

export const cleaningTexts = {
  repeated: (count: string): Words => ({
    fa: `${count} ردیف تکراری است؛ در داده‌ها مانده‌اند.`,
    en: `Rows that stand more than once, and were kept: ${count}.`,
  }),
  skipped: (count: string, examples: string): Words => ({
    fa: `${count} سطر بیش از ستون‌های جدول خانه داشت و در هیچ عددی نیامده است: ${examples}`,
    en: `Lines with more cells than the table has columns, which are in none of the numbers: ${count} (${examples})`,
  }),
  unreadable: (column: string, examples: string): Words => ({
    fa: `در ستون «${column}» این مقدارها خوانده نشدند و بی‌مقدار شمرده شدند: ${examples}`,
    en: `In the column “${column}” these values could not be read and count as missing: ${examples}`,
  }),
  jalali: (column: string): Words => ({
    fa: `تاریخ‌های ستون «${column}» شمسی‌اند و به شکل سال/ماه/روز با رقم‌های لاتین مانده‌اند تا درست مرتب شوند.`,
    en: `The dates of the column “${column}” are Jalali; they are kept as year/month/day, so that they sort as time does.`,
  }),
  dropped: (count: string): Words => ({
    fa: `${count} جمله از متن مدل کنار گذاشته شد، چون عددی داشت که از داده‌ها محاسبه نشده بود.`,
    en: `Sentences of the model that were left out, since they held numbers that were not computed from the data: ${count}.`,
  }),
}

export const figureLabels = {
  of: (measure: string, column: string): Words => ({
    fa: `${measure} ${column}`,
    en: `${measure} of ${column}`,
  }),
  share: (title: string, key: string): Words => ({
    fa: `سهم بزرگ‌ترین (${key}) در «${title}»`,
    en: `share of the largest (${key}) in “${title}”`,
  }),
  change: (title: string): Words => ({
    fa: `تغییر از نخستین تا آخرین در «${title}»`,
    en: `change from first to last in “${title}”`,
  }),
}
