import type { Task } from '#work/pipelines'
import type { NewRun } from './store.ts'

/** The task that a pipeline gets for a run. */
export const taskOf = (run: NewRun): Task => ({
  kind: run.kind,
  input: run.input,
  ...(run.title !== null && { title: run.title }),
  ...(run.instructions !== null && { instructions: run.instructions }),
  ...(run.files.length > 0 && { files: run.files }),
  depth: run.depth,
  language: run.language,
  startedMs: run.created_at.getTime(),
  isSandbox: run.sandbox,
})
