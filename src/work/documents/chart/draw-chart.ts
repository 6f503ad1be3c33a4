import { Resvg } from '@resvg/resvg-js'
import { fontPath, webFont } from '../fonts.ts'
import { printable } from '../prepare.ts'
import { face } from '../theme.ts'
import { type Chart, checkChart, type DrawnChart, sizeOf } from './chart.ts'
import { cleanSvg } from './clean-svg.ts'
import { widthOf } from './labels.ts'
import { optionOf } from './option.ts'

/** ECharts in one file: finding its hundreds of modules would take a second, while a drawing takes a tenth of one. */
const bundled: string = 'echarts/dist/echarts.esm.mjs'
const { init, setPlatformAPI } = (await import(bundled)) as typeof import('echarts')

/** A chart as SVG, and as PNG at twice the size. Only for a confined process. */
export function drawChart(chart: Chart): DrawnChart {
  checkChart(chart)
  const drawing = cleanSvg(svgOf(printableChart(chart)))
  const picture = new Resvg(drawing, {
    fitTo: { mode: 'zoom', value: 2 },
    font: {
      loadSystemFonts: false,
      fontFiles: [fontPath('Vazirmatn-Regular'), fontPath('Vazirmatn-Bold')],
      defaultFontFamily: face,
    },
  })
  return { svg: selfContained(drawing, chart), png: picture.render().asPng() }
}

/** Measures text in place of a canvas, which does not exist here; otherwise Persian letters would count as full squares. */
const measureText = (text: string, font?: string) => {
  const size = Number(/(?<![\d.])([\d.]+)px/.exec(font ?? '')?.[1] ?? 12)
  return { width: widthOf(text, size) }
}

function svgOf(chart: Chart): string {
  setPlatformAPI({ measureText: measureText as never })
  const { width, height } = sizeOf(chart)
  const drawing = init(null, null, { renderer: 'svg', ssr: true, width, height })
  try {
    drawing.setOption(optionOf(chart))
    return drawing.renderToSVGString()
  } finally {
    drawing.dispose()
  }
}

const printableChart = (chart: Chart): Chart =>
  JSON.parse(
    JSON.stringify(chart, (_, value) => (typeof value === 'string' ? printable(value) : value)),
  ) as Chart

/** The drawing with its font inside, and with its title for people who cannot see it. */
function selfContained(drawing: string, { title }: Chart): string {
  const faces = ([400, 700] as const).map(
    (weight) =>
      `@font-face{font-family:${face};font-weight:${weight};src:url(data:font/woff2;base64,${webFont(weight)}) format("woff2")}`,
  )
  const label = title ? `<title>${escaped(printable(title))}</title>` : ''
  return drawing.replace(
    /^(\s*<svg[^>]*)>/,
    (_, open) => `${open} role="img">${label}<style>${faces.join('')}</style>`,
  )
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
