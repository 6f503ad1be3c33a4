import type { Chart, Documents } from '#work/documents'
import type { Gap } from '../budgeted-steps.ts'
import { encode, mediaTypes, renderOrGap } from '../deliver.ts'
import { persianText } from '../persian.ts'
import { sandboxPhrases, titleWithMark } from '../phrases.ts'
import type { StepContext, Task } from '../pipelines.ts'
import type { FoundTable } from './compute.ts'
import { summaryPhrases } from './phrases.ts'
import { countsOnly, type ViewAnswer } from './views.ts'

/** Maximum points of a line chart that can be distinguished; earlier days are only in the workbook. */
const maxDrawn = 366

/** The chart of an answer; undefined if it has none. */
export function chartOf(
  { view, rows: all, points }: ViewAnswer,
  { spec }: FoundTable,
  task: Task,
): Chart | undefined {
  const { language, isSandbox } = task
  const base = { language, title: view.title, ...(isSandbox && { subtitle: sandboxPhrases.mark[language] }) }
  const { columns } = spec.table
  const by = columns[view.by]!
  const column = view.column === undefined || countsOnly(view) ? undefined : columns[view.column]!
  const titleOf = ({ name, unit }: { name: string; unit?: string }) => (unit ? `${name} (${unit})` : name)
  if (points) {
    if (points.length === 0 || !column) return undefined
    return {
      ...base,
      type: 'scatter',
      series: [{ name: view.title, points }],
      xTitle: titleOf(by),
      yTitle: titleOf(column),
    }
  }
  if (view.chart === 'none' || view.chart === 'scatter' || all.length === 0) return undefined
  const rows = all.slice(-maxDrawn)
  const label = (key: string) => (language === 'fa' ? persianText(key) : key)
  if (view.chart === 'pie' && rows.every(({ value }) => Number(value) >= 0))
    return {
      ...base,
      type: 'pie',
      slices: rows.map(({ key, value }) => ({ name: label(key), value: Number(value) })),
    }
  const maxKeyLength = Math.max(...rows.map(({ key }) => key.length))
  const type = view.chart === 'pie' ? 'bar' : view.chart
  const isHorizontal = type === 'bar' && (maxKeyLength > 14 || rows.length > 14)
  const value = column ? titleOf(column) : summaryPhrases[language].count
  return {
    ...base,
    type,
    ...(isHorizontal && { horizontal: true, height: Math.min(1_400, 140 + 30 * Math.max(8, rows.length)) }),
    categories: rows.map(({ key }) => label(key)),
    series: [{ name: value, values: rows.map((row) => (row.value === null ? null : Number(row.value))) }],
    valueTitle: column?.kind === 'percent' ? `${value} (${language === 'fa' ? '٪' : '%'})` : value,
  }
}

/** Draws every answer that has a chart, as PNG and SVG; returns the paths of the PNGs by the index of the answer. */
export async function saveCharts(
  context: StepContext,
  documents: Documents,
  found: FoundTable,
  answers: readonly ViewAnswer[],
  gaps: Gap[],
): Promise<Map<number, string>> {
  const { task, accountId, signal } = context
  const drawn = new Map<number, string>()
  for (const [place, answer] of answers.entries()) {
    const chart = chartOf(answer, found, task)
    if (!chart) continue
    const name = `charts/chart-${place + 1}`
    const made = await renderOrGap(gaps, { fa: name, en: name }, () =>
      documents.drawChart(chart, { accountId, signal }),
    )
    if (!made) continue
    const title = titleWithMark(answer.view.title, task.language, task.isSandbox)
    await context.saveFile({ path: `${name}.png`, bytes: made.png, mediaType: mediaTypes.png, title })
    await context.saveFile({ path: `${name}.svg`, bytes: encode(made.svg), mediaType: mediaTypes.svg, title })
    drawn.set(place, `${name}.png`)
  }
  return drawn
}
