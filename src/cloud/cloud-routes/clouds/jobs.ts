/** Clouds on their way to the end: deletion in portions, and what came to no end by its own job. */
import type { App } from '#app'
import { sweepBlobs, sweepUploads } from '#cloud/buckets'
import {
  type CloudKey,
  continueProvisioning,
  deleteEnded,
  deleteRecord,
  isDeleting,
  suspendUnpaid,
  unfinished,
  unfinishedMoves,
} from '#cloud/clouds'
import { job, type Later, type Run } from '#platform/jobs'
import { continueMove } from '../move/move.ts'
import { portions } from './contents.ts'

interface DeleteWork {
  cloudId: string
}

const setAsideMs = 10 * 60 * 1000

export const deleteJob = job<DeleteWork>({
  name: 'clouds.delete',
  limits: () => ({ perAccount: 2, perProcess: 4 }),
  handle: ({ app, accountId, data, ...run }) => deleteContents(app, { accountId, ...data }, run),
  // Whatever ended its processes, it has to be gone some day: the sweep deletes it.
  setAside: async ({ app, accountId, data }) =>
    (await isDeleting(app.db, { accountId, ...data })) ? { laterMs: setAsideMs } : undefined,
})

type Progress = Pick<Run<never>, 'stopping' | 'progressed'>

/** Deletes a cloud that is in state `deleting`, as far as it is there still. */
async function deleteContents(app: App, cloud: CloudKey, run: Progress): Promise<Later | undefined> {
  if (!(await isDeleting(app.db, cloud))) return undefined
  await app.functions.forget(cloud)
  for (const portion of portions)
    while (!(await portion(app, cloud))) {
      if (run.stopping.aborted) return { laterMs: 0 }
      await run.progressed()
    }
  await deleteRecord(app, cloud)
  return undefined
}

/** By then their own jobs have been tried several times. */
const waitMs = 10 * 60 * 1000
const atOnce = 100

/** Clouds whose job was parked after many failures, or lost; those whose package has ended; and keys that are accepted no more. */
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

/** Objects of buckets that a killed process left undecided, uploads whose day is over, and what developers have deleted by SQL. */
export const objectsJob = job<null>({
  name: 'clouds.objects',
  limits: () => ({ perAccount: 1, perProcess: 1 }),
  everyMs: objectsMs,
  async handle({ app, stopping }) {
    await sweepUploads(app, stopping)
    await sweepBlobs(app, stopping)
    return undefined
  },
})

/** One that fails again does not keep the others from their end. */
async function sweep({ app, ...run }: Progress & { app: App }): Promise<void> {
  const before = new Date(app.clock.nowMs() - waitMs)
  const goOn = (cloud: CloudKey, ending: Promise<unknown>) =>
    ending.catch((error: unknown) =>
      app.log.error({ err: error, cloud_id: cloud.cloudId }, 'a cloud is neither ready nor gone yet'),
    )
  for (const { state, ...cloud } of await unfinished(app.db, before, atOnce)) {
    if (run.stopping.aborted) return
    await goOn(
      cloud,
      state === 'deleting' ? deleteContents(app, cloud, run) : continueProvisioning(app, cloud),
    )
  }
  for (const cloud of await unfinishedMoves(app.db, before, atOnce)) {
    if (run.stopping.aborted) return
    await goOn(cloud, continueMove(app, cloud, run))
  }
}

/** In every process: what runs of a cloud ends with it, and when it is suspended. */
export function endStopped({ clouds, databases, functions, log }: App): AsyncDisposable {
  const listening = clouds.whenStopped((cloud) => {
    databases
      .stop(cloud)
      .catch((error: unknown) => log.error({ err: error, cloud_id: cloud.cloudId }, 'a database runs on'))
    functions
      .forget(cloud)
      .catch((error: unknown) => log.error({ err: error, cloud_id: cloud.cloudId }, 'functions run on'))
  })
  return { [Symbol.asyncDispose]: async () => listening[Symbol.dispose]() }
}
