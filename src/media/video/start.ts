/** Begins the next queued video of a project, if the project may have one more under way. */
import type { Tx } from '#platform/db'
import { orderingJob, type VideoApp } from './app.ts'
import { orderVideo } from './order.ts'
import { leftMsOf } from './overdue.ts'
import { failVideo } from './settle.ts'
import {
  changeVideo,
  countOpen,
  keyOf,
  lockProject,
  nextQueued,
  type ProjectKey,
  type VideoRow,
} from './store.ts'

/**
 * The limits of this job: orders last seconds, and keep reference pictures in memory. How many videos a project makes at once is counted by their
 * rows.
 */
const limits = { perAccount: 8, perProcess: 16 }

/** An order with less time than this would be paid, and given up before its vendor can have made it. */
const minLeftMs = 10 * 60_000

export const startJob = orderingJob<{ projectId: string }>({
  name: 'videos.start',
  writes: ['database', 'wal', 'files'],
  limits: () => limits,
  async handle(run) {
    const { app, accountId, data, stopping, trace } = run
    if (stopping.aborted) return { laterMs: 0 }
    const row = await takeNext(app, { accountId, projectId: data.projectId })
    if (row?.status === 'queued') await endUnstarted(app, row)
    else if (row) await orderVideo(app, row, { stopping, trace })
    return undefined
  },
  // The poller begins waiting videos: nothing is lost with this job.
  setAside: async () => undefined,
})

/** Begins another video of the project when the transaction commits, since one has given back its place. */
export async function startNext(
  { clock, jobs }: Pick<VideoApp, 'clock' | 'jobs'>,
  tx: Tx,
  { account_id: accountId, project_id: projectId }: Pick<VideoRow, 'account_id' | 'project_id'>,
): Promise<void> {
  const { queued } = await countOpen(tx, { accountId, projectId }, clock.nowMs())
  if (queued > 0) await jobs.enqueue(tx, startJob, { accountId, data: { projectId } })
}

/** Ends a job that no upstream was called for. Its end begins the next one. */
const endUnstarted = (app: VideoApp, row: VideoRow): Promise<boolean> =>
  failVideo(
    app,
    keyOf(row),
    { code: 'TIMED_OUT', mayBeBilled: false },
    ({ status, takes }) => status === 'queued' && takes === row.takes,
  )

/**
 * Takes the next row of the project. The process that takes a row is the only one that may order it, until the row changes. A returned row that is
 * still queued has too little time left.
 */
async function takeNext(app: VideoApp, project: ProjectKey): Promise<VideoRow | undefined> {
  const { processes } = app.files
  const now = new Date(app.clock.nowMs())
  return app.db.tx(async (tx) => {
    await lockProject(tx, project.projectId)
    const { running, queued } = await countOpen(tx, project, now.getTime())
    if (running >= app.config.studio.videosRunning) return undefined
    const row = await nextQueued(tx, project, now)
    if (!row || leftMsOf(app, row) < minLeftMs) return row
    const taken = {
      status: 'submitting' as const,
      owner: processes.id,
      takes: row.takes + 1,
      // The poller then checks whether this process still lives.
      next_at: new Date(now.getTime() + processes.leaseMs),
    }
    await changeVideo(tx, keyOf(row), taken)
    if (queued > 1 && running + 1 < app.config.studio.videosRunning)
      await app.jobs.enqueue(tx, startJob, { accountId: project.accountId, data: project })
    return { ...row, ...taken }
  })
}
