/** Makes one file and ends. Started by render.ts, confined: it reads its own code and fonts, and writes nothing but its answer. */
import { buffer } from 'node:stream/consumers'
import { deserialize } from 'node:v8'
import type { RenderWork } from './render.ts'
import { standStill } from './stand-still.ts'

const work = deserialize(await buffer(process.stdin)) as RenderWork
standStill(work.dateMs)
const files = await render(work)
const answer = Object.fromEntries(
  Object.entries(files).map(([name, data]) => [name, Buffer.from(data).toString('base64')]),
)
process.stdout.write(JSON.stringify(answer), () => process.exit(0))

/** Each kind loads what it needs and no more: most of the time of a small file is its libraries'. */
async function render(work: RenderWork): Promise<Record<string, string | Uint8Array>> {
  switch (work.kind) {
    case 'pdf': {
      const { writePdf } = await import('./pdf/write-pdf.ts')
      return { file: writePdf(work.document, work.images) }
    }
    case 'docx': {
      const { writeDocx } = await import('./docx/write-docx.ts')
      return { file: await writeDocx(work.document, work.images) }
    }
    case 'workbook': {
      const { writeWorkbook } = await import('./workbook/write-workbook.ts')
      return { file: await writeWorkbook(work.workbook) }
    }
    case 'chart': {
      const { drawChart } = await import('./chart/draw-chart.ts')
      return { ...drawChart(work.chart) }
    }
  }
}
