import { createHash } from 'node:crypto'
import { zipSync } from 'fflate'
import { type ConfinedRunner, openConfinement } from '#platform/confined'
import { openLog } from '#platform/log'
import { type Documents, openDocuments } from '#work/documents'
import { openPipelines, type Pipelines } from '#work/pipelines'
import type { CheckWork } from '../../../src/work/pipelines/code/check.ts'
import { type ComputeWork, runComputation } from '../../../src/work/pipelines/data/computed.ts'

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
  // Rows are written behind those of its first sheet.
  toWorkbook: async (workbook) =>
    Buffer.from(
      zipSync({
        'xl/print': printOf(workbook),
        'xl/worksheets/sheet1.xml': Buffer.from('<sheetData><row r="1"></row></sheetData>'),
      }),
    ),
  drawChart: async (chart) => ({ svg: printOf(chart).toString(), png: printOf(chart) }),
}

/** What the confined processes do, without processes. */
const quickConfine: ConfinedRunner = async ({ input, scratch }) => {
  if (Array.isArray(input))
    return { value: (input as CheckWork).map(({ text }) => (text.includes('fault') ? 'a fault' : null)) }
  return {
    value: JSON.parse(JSON.stringify(await runComputation(input as ComputeWork, scratch?.path))) as unknown,
  }
}

export const quick = (): Pipelines => openPipelines({ documents: quickDocuments, confine: quickConfine })
