import path from 'node:path'
import type { Confine } from '#engine/tools'
import type { Desk } from '../agent.ts'
import type { Profile } from './figures.ts'
import type { Table } from './table.ts'
import type { Answer, View } from './views.ts'

/** What compute-process.ts is given. */
export type ComputeWork =
  | { job: 'read'; text: string; columnWord: string }
  | { job: 'views'; table: Table; views: View[]; other: string }

export interface FoundTable {
  table: Table
  profile: Profile[]
}

const computingMs = 20_000
const mostBytes = 16 * 1024 * 1024

/** Finds and reads the table of a text; null where there is none, undefined where the process was lost. */
export const readTable = (
  desk: Desk,
  confine: Confine,
  step: string,
  work: Omit<ComputeWork & { job: 'read' }, 'job'>,
) => compute<FoundTable | null>(desk, confine, step, { job: 'read', ...work })

export const computeViews = (
  desk: Desk,
  confine: Confine,
  step: string,
  work: Omit<ComputeWork & { job: 'views' }, 'job'>,
) => compute<Answer[]>(desk, confine, step, { job: 'views', ...work })

async function compute<Value>(
  desk: Desk,
  confine: Confine,
  step: string,
  work: ComputeWork,
): Promise<Value | undefined> {
  const { value } = await desk.once<{ value?: Value }>(step, async () => {
    const outcome = await confine({
      accountId: desk.accountId,
      module: path.join(import.meta.dirname, 'compute-process.ts'),
      input: work,
      timeoutMs: computingMs,
      maxOutputBytes: mostBytes,
      signal: desk.signal,
    })
    return 'lost' in outcome ? {} : { value: outcome.value as Value }
  })
  return value
}
