/** Clouds whose job came to no end: it was parked after many failures, or its queue was lost. */
import { job, type Run } from '#platform/jobs'
import { deleteContents } from './delete.ts'
import { continueProvisioning } from './provision.ts'
import { unfinished } from './store.ts'

/** By then their own jobs have been tried several times. */
const waitMs = 10 * 60 * 1000
const atOnce = 100

export const sweepJob = job<null>({
  name: 'clouds.sweep',
  limits: () => ({ perAccount: 1, perProcess: 1 }),
  everyMs: waitMs,
  async handle(run) {
    await sweepClouds(run)
    return undefined
  },
})

/** One that fails again does not keep the others from their end. */
async function sweepClouds({
  app,
  ...run
}: Pick<Run<null>, 'app' | 'stopping' | 'progressed'>): Promise<void> {
  const before = new Date(app.clock.nowMs() - waitMs)
  for (const { state, ...cloud } of await unfinished(app.db, before, atOnce)) {
    if (run.stopping.aborted) return
    const ending = state === 'deleting' ? deleteContents(app, cloud, run) : continueProvisioning(app, cloud)
    await ending.catch((error: unknown) =>
      app.log.error({ err: error, cloud_id: cloud.cloudId }, 'a cloud is neither ready nor gone yet'),
    )
  }
}
