/** Background work on stored files. */
import {
  deleteExpired,
  deleteOrphanedBytes,
  deleteUnowned,
  type FilesApp,
  uploadWaitingFiles,
} from '#core/files'
import { type Repetition, repetitions } from '#platform/clock'
import { job } from './app.ts'

/** Deletes files past their time, and bytes that no row owns. */
export const tidyJob = job<null>({
  name: 'files.tidy',
  limits: () => ({ perAccount: 1, perProcess: 1 }),
  everyMs: 10 * 60 * 1000,
  async handle({ app, signal }) {
    await deleteExpired(app, signal)
    await deleteUnowned(app, signal)
    return undefined
  },
})

const forgetEveryMs = 10 * 60 * 1000

/** Stores waiting results, in every process, whatever its role: only this machine can read what waits in its data folder. */
export function storeWaitingFiles(app: FilesApp): AsyncDisposable {
  const stop = new AbortController()
  let running = Promise.resolve()
  const every = (ms: number, work: typeof uploadWaitingFiles, failed: string): Repetition =>
    repetitions.every(ms, work.name, () => {
      running = running
        .then(() => work(app, stop.signal))
        .catch((error) => app.log.warn({ err: error }, failed))
      return running
    })
  const repeated = [
    every(app.config.timing.storeWaitingMs, uploadWaitingFiles, 'paid results wait for the store'),
    every(forgetEveryMs, deleteOrphanedBytes, 'the data folder was not tidied'),
  ]
  return {
    async [Symbol.asyncDispose]() {
      for (const one of repeated) void one.stop()
      stop.abort()
      await running
    },
  }
}
