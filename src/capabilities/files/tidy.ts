/** What happens to stored files in the background. */
import type { App } from '#app'
import { deleteExpired, deleteUnowned, storeWaiting } from '#engine/files'
import { job } from '#platform/jobs'

/** Deletes creations past their time, and bytes that no row owns. */
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

const waitingEveryMs = 15_000

/** On every machine by itself: only it can read what waits in its data folder. */
export function storeWaitingFiles(app: App): AsyncDisposable {
  const stop = new AbortController()
  let running = Promise.resolve()
  const once = async (): Promise<void> => {
    try {
      await storeWaiting(app, stop.signal)
    } catch (error) {
      app.log.warn({ err: error }, 'paid results wait for the store')
    }
  }
  const timer = setInterval(() => {
    running = running.then(once)
  }, waitingEveryMs)
  timer.unref()
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      stop.abort()
      await running
    },
  }
}
