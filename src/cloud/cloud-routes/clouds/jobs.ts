/** Deletes clouds in portions, and completes what their own jobs did not complete. */
import { sweepBlobs, sweepUploads } from '#cloud/buckets'
import {
  type CloudKey,
  continueProvisioning,
  deleteEnded,
  deleteRecord,
  isDeleting,
  suspendUnpaid,
  unfinishedClouds,
  unfinishedMoves,
} from '#cloud/clouds'
import type { JobDelay, JobRun } from '#platform/jobs'
import { type CloudDeletionApp, type CloudJobsApp, job, type StoppedCloudsApp } from '../app.ts'
import { continueMove } from '../move/move.ts'
import { deletionSteps } from './contents.ts'

interface DeleteWork {
  cloudId: string
}

const setAsideMs = 10 * 60 * 1000

export const deleteJob = job<DeleteWork>({
  name: 'clouds.delete',
  limits: () => ({ perAccount: 2, perProcess: 4 }),
  handle: ({ app, accountId, data, ...run }) =>
    deleteContents(app.cloudDeletion, { accountId, ...data }, run),
  // Whatever ended the processes of the job, the cloud has to be deleted some day: the sweep does that.
  setAside: async ({ app, accountId, data }) =>
    (await isDeleting(app.db, { accountId, ...data })) ? { laterMs: setAsideMs } : undefined,
})

type JobControl = Pick<JobRun<never, never>, 'stopping' | 'progressed'>

/** Deletes a cloud that is in state `deleting`, as far as it still exists. */
async function deleteContents(
  app: CloudDeletionApp,
  cloud: CloudKey,
  run: JobControl,
): Promise<JobDelay | undefined> {
  if (!(await isDeleting(app.db, cloud))) return undefined
  await app.functions.forget(cloud)
  for (const portion of deletionSteps)
    while (!(await portion(app, cloud))) {
      if (run.stopping.aborted) return { laterMs: 0 }
      await run.progressed()
    }
  await deleteRecord(app, cloud)
  return undefined
}

/** By then the clouds' own jobs have been tried several times. */
const waitMs = 10 * 60 * 1000
const atOnce = 100

/**
 * Completes clouds whose job was parked after many failures, or lost; suspends those whose package has ended; deletes keys that are accepted no more.
 */
export const sweepJob = job<null>({
  name: 'clouds.sweep',
  limits: () => ({ perAccount: 1, perProcess: 1 }),
  everyMs: waitMs,
  async handle(run) {
    await sweep(run)
    while (!run.stopping.aborted && (await suspendUnpaid(run.app, atOnce)));
    const now = new Date(run.app.clock.nowMs())
    while (!run.stopping.aborted && (await deleteEnded(run.app.db, now)) > 0);
    return undefined
  },
})

const objectsMs = 5 * 60 * 1000

/** Resolves objects that a killed process left, ends expired uploads, and frees the bytes of objects that developers have deleted by SQL. */
export const objectsJob = job<null>({
  name: 'clouds.objects',
  limits: () => ({ perAccount: 1, perProcess: 1 }),
  everyMs: objectsMs,
  async handle({ app, stopping }) {
    await sweepUploads(app.cloudDeletion, stopping)
    await sweepBlobs(app.cloudDeletion, stopping)
    return undefined
  },
})

/** Completes clouds and moves; one that fails again does not stop the others. */
async function sweep({ app, ...run }: JobControl & { app: CloudJobsApp }): Promise<void> {
  const before = new Date(app.clock.nowMs() - waitMs)
  const logFailure = (cloud: CloudKey, ending: Promise<unknown>) =>
    ending.catch((error: unknown) =>
      app.log.error({ err: error, cloud_id: cloud.cloudId }, 'a cloud is neither ready nor gone yet'),
    )
  for (const { state, ...cloud } of await unfinishedClouds(app.db, before, atOnce)) {
    if (run.stopping.aborted) return
    await logFailure(
      cloud,
      state === 'deleting' ? deleteContents(app.cloudDeletion, cloud, run) : continueProvisioning(app, cloud),
    )
  }
  for (const cloud of await unfinishedMoves(app.db, before, atOnce)) {
    if (run.stopping.aborted) return
    await logFailure(cloud, continueMove(app, cloud, run))
  }
}

/** Stops a cloud's database and functions in every process, when the cloud is deleted or suspended. */
export function watchStoppedClouds({ clouds, databases, functions, log }: StoppedCloudsApp): AsyncDisposable {
  const listening = clouds.onStopped((cloud) => {
    databases
      .stop(cloud)
      .catch((error: unknown) => log.error({ err: error, cloud_id: cloud.cloudId }, 'a database runs on'))
    functions
      .forget(cloud)
      .catch((error: unknown) => log.error({ err: error, cloud_id: cloud.cloudId }, 'functions run on'))
  })
  return { [Symbol.asyncDispose]: async () => listening[Symbol.dispose]() }
}
