import type { Language } from '../model.ts'

/** The neutral model of a chart. */
export type Chart = CategoryChart | PieChart | ScatterChart

interface ChartBase {
  language: Language
  title?: string
  subtitle?: string
  /** CSS pixels. Default: 800 × 450. */
  width?: number
  height?: number
}

export interface CategoryChart extends ChartBase {
  type: 'bar' | 'line' | 'area'
  /** One label for each value of every series. */
  categories: string[]
  series: Series[]
  stacked?: boolean
  /** Horizontal bars that start on the side where the text begins, for many or long labels. */
  horizontal?: boolean
  categoryTitle?: string
  valueTitle?: string
}

export interface Series {
  name: string
  /** `null` means unknown. */
  values: (number | null)[]
}

export interface PieChart extends ChartBase {
  type: 'pie'
  slices: { name: string; value: number }[]
}

export interface ScatterChart extends ChartBase {
  type: 'scatter'
  series: { name: string; points: [x: number, y: number][] }[]
  xTitle?: string
  yTitle?: string
}

export interface DrawnChart {
  /** A self-contained drawing: its font is inside, it refers to nothing else, and nothing in it runs. */
  svg: string
  /** The drawing at twice the size. */
  png: Uint8Array
}

const limits = { series: 24, values: 5_000, slices: 40, maxSide: 4_000, minSide: 160 }

export const sizeOf = ({ width = 800, height = 450 }: Chart): { width: number; height: number } => ({
  width: Math.round(Math.min(limits.maxSide, Math.max(limits.minSide, width))),
  height: Math.round(Math.min(limits.maxSide, Math.max(limits.minSide, height))),
})

/** Whether a chart has no numbers, so that only its title can be drawn. */
export function isEmpty(chart: Chart): boolean {
  if (chart.type === 'pie') return !chart.slices.some(({ value }) => Number.isFinite(value) && value > 0)
  if (chart.type === 'scatter') return chart.series.every(({ points }) => points.length === 0)
  return (
    chart.categories.length === 0 ||
    chart.series.every(({ values }) => values.every((value) => value === null || !Number.isFinite(value)))
  )
}

/** Throws a RangeError if the chart has too many series or values to be readable. */
export function checkChart(chart: Chart): void {
  const count =
    chart.type === 'pie'
      ? chart.slices.length
      : chart.series.reduce(
          (sum, series) => sum + ('points' in series ? series.points.length : series.values.length),
          0,
        )
  const series = chart.type === 'pie' ? 1 : chart.series.length
  const bound = chart.type === 'pie' ? limits.slices : limits.values
  if (series > limits.series) throw new RangeError(`A chart has at most ${limits.series} series.`)
  if (count > bound) throw new RangeError(`A chart of this kind has at most ${bound} values.`)
}
