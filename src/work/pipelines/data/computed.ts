/** The three confined computations: reading a table, answering questions about it, writing it as files. */
import { type ReadAnswer, type ReadOptions, type ReadSpec, readTables, storeOf } from './read-table.ts'
import type { Input } from './rows/open.ts'
import { answerView, type View, type ViewAnswer } from './views.ts'
import { type WriteOptions, type WrittenRowCounts, writeFiles } from './write/write-files.ts'

export type ComputeWork =
  | ({ job: 'read' } & ReadOptions)
  | { job: 'views'; inputs: Input[]; spec: ReadSpec; views: View[]; other: string }
  | ({ job: 'files'; inputs: Input[]; spec: ReadSpec } & WriteOptions)

export interface ComputeResults {
  read: ReadAnswer
  views: ViewAnswer[]
  files: WrittenRowCounts
}

/** Runs one computation. `folder`: where files are written. */
export async function runComputation(
  work: ComputeWork,
  folder?: string,
): Promise<ComputeResults[ComputeWork['job']]> {
  if (work.job === 'read') return readTables(work)
  const store = await storeOf(work.inputs, work.spec)
  if (work.job === 'views') return work.views.map((view) => answerView(store, view, work.other))
  if (folder === undefined) throw new Error('There is no folder to write to.')
  return writeFiles(work, store, folder)
}
