/** Makes one file and ends. Started by render.ts, confined: it reads its own code and fonts, and writes nothing but its answer. */
import { runConfinedWork } from '#platform/confined-process'
import { makeDeterministic } from './deterministic.ts'
import type { RenderWork } from './render.ts'

await runConfinedWork<RenderWork>(async (work) => {
  makeDeterministic(work.dateMs)
  const files = await render(work)
  return Object.fromEntries(
    Object.entries(files).map(([name, data]) => [name, Buffer.from(data).toString('base64')]),
  )
})

/** Each kind loads only the libraries that it needs, since loading takes most of the time of a small file. */
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
