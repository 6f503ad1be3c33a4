import { createHash } from 'node:crypto'
import { openPipelines, type Pipelines } from '#engine/agent'
import { type Documents, openDocuments } from '#engine/documents'
import { type Confine, openConfinement } from '#engine/tools'
import { openLog } from '#platform/log'
import type { CheckWork } from '../../src/engine/agent/code/check.ts'
import type { ComputeWork } from '../../src/engine/agent/data/compute.ts'
import { profileOf } from '../../src/engine/agent/data/figures.ts'
import { findGrid } from '../../src/engine/agent/data/find-table.ts'
import { tableOf } from '../../src/engine/agent/data/table.ts'
import { answerView } from '../../src/engine/agent/data/views.ts'

const log = openLog('silent')

/** The pipelines of the house, with real files from real processes. */
export const real = (): Pipelines =>
  openPipelines({ documents: openDocuments(log), confine: openConfinement(log) })

const printOf = (value: unknown): Buffer =>
  Buffer.from(createHash('sha256').update(JSON.stringify(value)).digest('hex'))

/** Files that are digests of what they were to be made of: for tests that run a pipeline hundreds of times. */
const quickDocuments: Documents = {
  toPdf: async (document) => printOf(['pdf', document]),
  toDocx: async (document) => printOf(['docx', document]),
  toWorkbook: async (workbook) => printOf(workbook),
  drawChart: async (chart) => ({ svg: printOf(chart).toString(), png: printOf(chart) }),
}

/** What the confined processes do, without processes. */
const quickConfine: Confine = async ({ input }) => {
  if (Array.isArray(input))
    return { value: (input as CheckWork).map(({ text }) => (text.includes('fault') ? 'a fault' : null)) }
  const work = input as ComputeWork
  if (work.job === 'views')
    return { value: work.views.map((view) => answerView(work.table, view, work.other)) }
  const found = findGrid(work.text)
  const table = found && tableOf(found, (place) => `${work.columnWord} ${place}`)
  return { value: table ? { table, profile: profileOf(table) } : null }
}

export const quick = (): Pipelines => openPipelines({ documents: quickDocuments, confine: quickConfine })
