import { singleLine } from '../cut.ts'
import { listIn, memberOf, readJson, textIn } from '../json.ts'
import type { ColumnSpec } from './columns/decide.ts'
import { maxTexts } from './columns/store.ts'
import type { FoundTable } from './compute.ts'
import { isNumeric, type Measure } from './figures.ts'
import { defaultViews } from './usual-views.ts'
import { foldKey } from './values/fold.ts'
import type { Bucket, ChartType, View } from './views.ts'

export const maxViews = 6
const measures = ['sum', 'mean', 'median', 'min', 'max', 'count', 'distinct'] as const
const buckets = ['day', 'month', 'year', 'hour'] as const
const charts = ['bar', 'line', 'area', 'pie', 'scatter', 'none'] as const
const maxTitle = 100
/** Maximum groups of a chart, and maximum rows of a table. */
const maxGroups = { pie: 12, top: 40 }

export const viewsSchema = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    views: {
      type: 'array',
      maxItems: maxViews,
      items: {
        type: 'object',
        properties: {
          title: { type: 'string' },
          by: { type: 'string' },
          bucket: { type: 'string', enum: ['none', ...buckets] },
          measure: { type: 'string', enum: measures },
          column: { type: 'string' },
          top: { type: 'integer', minimum: 1, maximum: maxGroups.top },
          chart: { type: 'string', enum: charts },
        },
        required: ['title', 'by', 'measure', 'chart'],
      },
    },
  },
  required: ['title', 'views'],
}

type TitleFunction = (view: Omit<View, 'title'>) => string

/** The planned views that the table can answer; the default views if there are none. */
export function viewsOf(answer: string | undefined, found: FoundTable, titleOf: TitleFunction): View[] {
  const wanted = listIn(answer === undefined ? undefined : readJson(answer), 'views', maxViews)
  const views = wanted.flatMap((entry) => viewOf(entry, found, titleOf) ?? [])
  const distinct = found.profile.map((profile) => profile.distinct)
  const all =
    views.length > 0
      ? views
      : defaultViews(found.spec.table.columns, found.rows, distinct).map((view) => ({
          ...view,
          title: titleOf(view),
        }))
  const seen = new Set<string>()
  return all.filter(({ title: _, chart: __, ...view }) => {
    const key = JSON.stringify(view)
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

function viewOf(entry: unknown, { spec, profile }: FoundTable, titleOf: TitleFunction): View | undefined {
  const { columns } = spec.table
  const columnIndex = (name: string) => {
    const folded = (text: string) => foldKey(text).replace(/[\s_]/g, '')
    const found = columns.findIndex((column) => folded(column.name) === folded(name))
    return found < 0 ? undefined : found
  }
  const by = columnIndex(textIn(entry, 'by'))
  const column = columnIndex(textIn(entry, 'column'))
  const chart = oneOf<ChartType>(charts, textIn(entry, 'chart'), 'bar')
  const measure = oneOf<Measure>(measures, textIn(entry, 'measure'), 'sum')
  const isMeasured = column !== undefined && isNumeric(columns[column]!.kind)
  if (by === undefined) return undefined
  if (chart === 'scatter') {
    if (!isMeasured || !isNumeric(columns[by]!.kind) || by === column) return undefined
    return withTitle({ by, column, measure: 'sum', chart }, entry, titleOf)
  }
  if (measure === 'distinct' ? !isCounted(columns, profile, column) : measure !== 'count' && !isMeasured)
    return undefined
  const bucketName = textIn(entry, 'bucket')
  const bucket = columns[by]!.kind === 'date' && isBucket(bucketName) ? bucketName : undefined
  const { distinct } = profile[by]!
  if (!isCounted(columns, profile, by)) return undefined
  const isPie = chart === 'pie' && (distinct > maxGroups.pie || (measure !== 'sum' && measure !== 'count'))
  const view = {
    by,
    measure,
    ...(measure !== 'count' && { column: column! }),
    ...(bucket && { bucket }),
    ...topIn(entry),
    chart: isPie ? ('bar' as const) : chart,
  }
  return withTitle(view, entry, titleOf)
}

const withTitle = (view: Omit<View, 'title'>, entry: unknown, titleOf: TitleFunction): View => {
  const title = singleLine(textIn(entry, 'title'), maxTitle)
  // Titles with numbers are dropped: a number written by the model is not computed from the data.
  return { ...view, title: title && !/\p{N}/u.test(title) ? title : titleOf(view) }
}

const isBucket = (bucketName: string): bucketName is Bucket =>
  (buckets as readonly string[]).includes(bucketName)

/** Columns whose words are not stored can be neither grouped nor counted. */
const isCounted = (columns: readonly ColumnSpec[], profile: FoundTable['profile'], place?: number): boolean =>
  place !== undefined && (columns[place]!.kind !== 'text' || profile[place]!.distinct <= maxTexts)

function topIn(entry: unknown): { top?: number } {
  const top = Number(memberOf(entry, 'top'))
  return Number.isInteger(top) && top >= 1 && top <= maxGroups.top ? { top } : {}
}

const oneOf = <Name extends string>(names: readonly string[], wanted: string, usual: Name): Name =>
  (names.includes(wanted) ? wanted : usual) as Name
