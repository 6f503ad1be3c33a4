import type { EChartsOption, SeriesOption } from 'echarts'
import { chartPhrases } from '../phrases.ts'
import { colours, face } from '../theme.ts'
import { type CategoryChart, type Chart, isEmpty, type PieChart, type ScatterChart, sizeOf } from './chart.ts'
import { labelOf, numberWriter, percentWriter, widthOf, withDirectionMarks, wrappedLabel } from './labels.ts'

const palette = ['#0f6466', '#e08e45', '#4f7cac', '#a23e48', '#7f9f4f', '#6d597a', '#d1a827', '#5c6b7a']
const ink = `#${colours.ink}`
const soft = `#${colours.soft}`
const line = `#${colours.line}`
const labelSize = 13

/** The options of ECharts for a chart; Persian charts begin on the right. */
export function optionOf(chart: Chart): EChartsOption {
  const base = frameOf(chart)
  if (isEmpty(chart)) return { ...base, legend: { show: false }, graphic: emptyNote(chart) }
  if (chart.type === 'pie') return { ...base, ...pieOf(chart) }
  if (chart.type === 'scatter') return { ...base, ...scatterOf(chart) }
  return { ...base, ...categoriesOf(chart) }
}

const isPersian = ({ language }: Chart): boolean => language === 'fa'

const headHeight = (chart: Chart): number => (chart.title ? 40 : 0) + (chart.subtitle ? 24 : 0)

function frameOf(chart: Chart): EChartsOption {
  const { width } = sizeOf(chart)
  return {
    animation: false,
    backgroundColor: '#ffffff',
    color: palette,
    textStyle: { fontFamily: face, fontSize: labelSize, color: ink },
    title: {
      left: isPersian(chart) ? width - 20 : 20,
      top: 14,
      text: labelOf(chart.title ?? '', chart.language, Math.floor(width / 9)),
      subtext: labelOf(chart.subtitle ?? '', chart.language, Math.floor(width / 7)),
      textAlign: isPersian(chart) ? 'right' : 'left',
      itemGap: 8,
      textStyle: { fontSize: 18, fontWeight: 700, color: ink },
      subtextStyle: { fontSize: 13, color: soft },
    },
  }
}

const emptyNote = (chart: Chart): NonNullable<EChartsOption['graphic']> => ({
  type: 'text',
  left: 'center',
  top: 'middle',
  style: {
    text: withDirectionMarks(chartPhrases[chart.language].empty, chart.language),
    fontSize: 16,
    fill: soft,
    fontFamily: face,
  },
})

/** The legend: names in the direction of the text, each after its symbol. */
function legendOf(chart: Chart, names: string[]): NonNullable<EChartsOption['legend']> {
  if (names.length < 2) return { show: false }
  const persian = isPersian(chart)
  return {
    data: persian ? [...names].reverse() : names,
    align: persian ? 'right' : 'left',
    ...(persian ? { right: 20 } : { left: 20 }),
    top: 12 + headHeight(chart),
    icon: 'roundRect',
    itemWidth: 14,
    itemHeight: 10,
    itemGap: 18,
    textStyle: { fontSize: labelSize, color: ink },
  }
}

const legendRows = (chart: Chart, names: string[]): number => {
  if (names.length < 2) return 0
  const total = names.reduce((sum, name) => sum + widthOf(name, labelSize) + 40, 0)
  return Math.ceil(total / (sizeOf(chart).width - 40))
}

const gridOf = (chart: Chart, names: string[], axisTitle: boolean) => ({
  left: 24,
  right: 24,
  top: headHeight(chart) + legendRows(chart, names) * 26 + (axisTitle ? 52 : 30),
  bottom: 18,
  containLabel: true,
})

const quietAxis = {
  axisLine: { lineStyle: { color: line } },
  axisTick: { show: false },
  splitLine: { lineStyle: { color: '#e8edf0' } },
}

const titleStyle = { fontSize: 12, color: soft }

function categoriesOf(chart: CategoryChart): EChartsOption {
  const { language, horizontal = false } = chart
  const persian = isPersian(chart)
  const isHorizontal = horizontal && chart.type === 'bar'
  const names = chart.series.map(({ name }, index) => labelOf(name || String(index + 1), language))
  const largest = largestOf(chart)
  const write = numberWriter(language, largest)
  const titles = { name: labelOf(chart.valueTitle ?? '', language), nameTextStyle: titleStyle }
  const values = {
    ...quietAxis,
    type: 'value' as const,
    axisLine: { show: false },
    axisLabel: { color: soft, formatter: write },
    ...titles,
  }
  const labels = {
    ...quietAxis,
    type: 'category' as const,
    splitLine: { show: false },
    ...categoryLabels(chart, isHorizontal),
  }
  const grid = gridOf(chart, names, Boolean(chart.valueTitle) && !isHorizontal)
  const legend = legendOf(chart, names)
  const series = chart.series.map((_, index) => seriesOf(chart, index, names[index]!, write))
  if (isHorizontal)
    return {
      legend,
      grid,
      series,
      xAxis: { ...values, inverse: persian, nameLocation: 'middle', nameGap: 30 },
      yAxis: { ...labels, inverse: true, position: persian ? 'right' : 'left' },
    }
  return {
    legend,
    grid,
    series,
    xAxis: {
      ...labels,
      inverse: persian,
      boundaryGap: chart.type === 'bar' || chart.categories.length <= 24,
    },
    yAxis: { ...values, position: persian ? 'right' : 'left' },
  }
}

const largestOf = ({ series }: CategoryChart): number =>
  series.reduce(
    (max, { values }) => values.reduce<number>((top, value) => Math.max(top, Math.abs(value ?? 0)), max),
    0,
  )

/** The labels of an axis of categories. Long ones are wrapped, many are rotated, and of very many only some are shown. */
function categoryLabels(
  { categories, language, categoryTitle, ...chart }: CategoryChart,
  isHorizontal: boolean,
) {
  const { width } = sizeOf({ categories, language, ...chart })
  const room = (width - 110) / Math.max(1, categories.length)
  const maxLabelWidth = Math.max(0, ...categories.map((name) => widthOf(name, labelSize)))
  const isRotated = !isHorizontal && room < 46 && maxLabelWidth > room
  const data = categories.map((name) =>
    isHorizontal || isRotated || maxLabelWidth <= room - 8
      ? labelOf(name, language, 28)
      : wrappedLabel(name, language, room - 8, labelSize),
  )
  return {
    data,
    name: labelOf(categoryTitle ?? '', language),
    nameLocation: 'middle' as const,
    nameGap: isHorizontal ? 70 : isRotated ? 70 : 38,
    nameTextStyle: titleStyle,
    axisLabel: {
      color: ink,
      interval: categories.length > 40 ? ('auto' as const) : 0,
      rotate: isRotated ? 40 : 0,
      lineHeight: 18,
    },
  }
}

function seriesOf(
  chart: CategoryChart,
  index: number,
  name: string,
  write: (value: number) => string,
): SeriesOption {
  const data = chart.categories.map((_, place) => finite(chart.series[index]!.values[place]))
  const stack = chart.stacked ? { stack: 'all' } : {}
  if (chart.type === 'bar') {
    const alone = chart.series.length === 1 && chart.categories.length <= 14
    const position = chart.horizontal ? (isPersian(chart) ? 'left' : 'right') : 'top'
    return {
      type: 'bar',
      name,
      data,
      ...stack,
      barMaxWidth: 56,
      itemStyle: { borderRadius: chart.stacked ? 0 : barCorners(chart) },
      label: {
        show: alone,
        position,
        color: soft,
        fontSize: 12,
        formatter: ({ value }) => (typeof value === 'number' ? write(value) : ''),
      },
    }
  }
  return {
    type: 'line',
    name,
    data,
    ...stack,
    symbol: 'circle',
    symbolSize: 7,
    showSymbol: data.length <= 30,
    lineStyle: { width: 2.5 },
    ...(chart.type === 'area' && { areaStyle: { opacity: chart.stacked ? 0.75 : 0.18 } }),
  }
}

const barCorners = (chart: CategoryChart): number[] => {
  if (!chart.horizontal) return [4, 4, 0, 0]
  return isPersian(chart) ? [4, 0, 0, 4] : [0, 4, 4, 0]
}

const finite = (value: number | null | undefined): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null

function pieOf(chart: PieChart): EChartsOption {
  const { language } = chart
  const slices = chart.slices.filter(({ value }) => Number.isFinite(value) && value > 0)
  const total = slices.reduce((sum, { value }) => sum + value, 0)
  const percent = percentWriter(language)
  const top = headHeight(chart)
  return {
    series: [
      {
        type: 'pie',
        radius: ['38%', '68%'],
        center: ['50%', `${Math.round(50 + (50 * top) / sizeOf(chart).height)}%`],
        clockwise: !isPersian(chart),
        itemStyle: { borderColor: '#ffffff', borderWidth: 2 },
        label: { color: ink, fontSize: labelSize, lineHeight: 19 },
        labelLine: { lineStyle: { color: line } },
        data: slices.map(({ name, value }) => ({
          value,
          name: `${labelOf(name, language, 28)}\n${withDirectionMarks(percent(value / total), language)}`,
        })),
      },
    ],
  }
}

/** A scatter chart. In both languages its axes run as in mathematics, to the right and upwards. */
function scatterOf(chart: ScatterChart): EChartsOption {
  const { language } = chart
  const names = chart.series.map(({ name }, index) => labelOf(name || String(index + 1), language))
  const axis = (place: 0 | 1, title: string | undefined) => {
    const numbers = chart.series.flatMap(({ points }) => points.map((point) => Math.abs(point[place])))
    return {
      ...quietAxis,
      type: 'value' as const,
      scale: true,
      boundaryGap: ['4%', '4%'] as [string, string],
      axisLabel: {
        color: soft,
        formatter: numberWriter(
          language,
          numbers.reduce((a, b) => Math.max(a, b), 0),
        ),
      },
      name: labelOf(title ?? '', language),
      nameTextStyle: titleStyle,
    }
  }
  return {
    legend: legendOf(chart, names),
    grid: { ...gridOf(chart, names, Boolean(chart.yTitle)), bottom: chart.xTitle ? 40 : 18 },
    xAxis: { ...axis(0, chart.xTitle), nameLocation: 'middle', nameGap: 32 },
    yAxis: axis(1, chart.yTitle),
    series: chart.series.map(({ points }, index) => ({
      type: 'scatter',
      name: names[index]!,
      symbolSize: 9,
      itemStyle: { opacity: 0.8 },
      data: points.filter((point) => point.every(Number.isFinite)),
    })),
  }
}
