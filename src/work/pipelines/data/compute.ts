/** Runs the computations of a run in a confined process that reads the sources from files. */
import path from 'node:path'
import type { ConfinedRunner } from '#platform/confined'
import type { StepContext } from '../pipelines.ts'
import type { ComputeResults, ComputeWork } from './computed.ts'
import type { ReadAnswer, ReadSpec } from './read-table.ts'
import type { Input } from './rows/open.ts'
import type { View, ViewAnswer } from './views.ts'
import type { SheetOptions, WrittenRowCounts } from './write/write-files.ts'

export type { FoundTable } from './read-table.ts'

/** Limits of CPU time: a short one for a text, one in proportion to their size for files. */
const textTimeoutMs = 20_000
const minTimeoutMs = 60_000
const maxTimeoutMs = 600_000
const perMegabyteMs = 3_000
/** The most bytes of an answer; tables stay in the process. */
const maxAnswerBytes = 4 * 1024 * 1024
const fileProcessLimits = { memoryMb: 1_792, heapMb: 768 }

/** The inputs with the tables of a run, on this machine. */
export interface Sources {
  inputs: Input[]
  /** The bytes of the files among the inputs. */
  bytes: number
  /** False if a source changed since the run was first executed; then nothing more is computed from it. */
  isSame: boolean
}

export interface ComputeContext {
  context: StepContext
  confine: ConfinedRunner
  sources: Sources
}

/** Reads the tables; undefined if the process was lost. */
export const readTables = (computer: ComputeContext, step: string, columnWord: string) =>
  compute<ReadAnswer>(computer, step, { job: 'read', inputs: computer.sources.inputs, columnWord })

export const computeViews = (computer: ComputeContext, spec: ReadSpec, views: View[], other: string) =>
  compute<ViewAnswer[]>(computer, 'figures', {
    job: 'views',
    inputs: computer.sources.inputs,
    spec,
    views,
    other,
  })

export interface FilesOptions {
  spec: ReadSpec
  maxCsvBytes: number
  sheet?: SheetOptions
  scratch: { path: string; bytes: number }
}

/** Writes the tables as files into the folder. The step is not journalled, since the files are on this machine only. */
export async function writeTables(
  { context, confine, sources }: ComputeContext,
  { scratch, ...ask }: FilesOptions,
): Promise<WrittenRowCounts | undefined> {
  if (!sources.isSame) return undefined
  const work: ComputeWork = { job: 'files', inputs: sources.inputs, ...ask }
  const outcome = await confine({ ...workOf(context, sources, work), scratch })
  return 'lost' in outcome ? undefined : (outcome.value as WrittenRowCounts)
}

async function compute<Value extends ComputeResults[keyof ComputeResults]>(
  { context, confine, sources }: ComputeContext,
  step: string,
  work: ComputeWork,
): Promise<Value | undefined> {
  const { value } = await context.once<{ value?: Value }>(step, async () => {
    if (!sources.isSame) return {}
    const outcome = await confine(workOf(context, sources, work))
    return 'lost' in outcome ? {} : { value: outcome.value as Value }
  })
  return value
}

function workOf(context: StepContext, { inputs, bytes }: Sources, input: ComputeWork) {
  const files = inputs.flatMap((each) => ('path' in each ? [each.path] : []))
  const scaled = Math.min(maxTimeoutMs, minTimeoutMs + Math.ceil((bytes / 1e6) * perMegabyteMs))
  return {
    accountId: context.accountId,
    module: path.join(import.meta.dirname, 'compute-process.ts'),
    input,
    timeoutMs: files.length > 0 ? scaled : textTimeoutMs,
    maxOutputBytes: maxAnswerBytes,
    files,
    ...(files.length > 0 && fileProcessLimits),
    signal: context.signal,
  }
}
