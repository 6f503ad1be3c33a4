import type { Job } from '#platform/jobs'
import type { VideoApp } from './app.ts'
import { readVideo, type VideoKey } from './store.ts'

const name = 'videos.callback'

/**
 * Notifies the address that the caller of a video named. Here the job is only put into the queue; the routes deliver the notification, with the job
 * that `callbackWith` makes of their handler.
 */
export const callbackJob: Job<{ jobId: string }> = callbackWith(async () => undefined)

/** The job with this handler, whose app is that of the routes. */
export function callbackWith<App>(
  handle: Job<{ jobId: string }, App>['handle'],
): Job<{ jobId: string }, App> {
  return { name, limits: () => ({ perAccount: 4, perProcess: 8 }), handle }
}

export interface Callback {
  projectId: string
  url: string
}

/** The address at which the caller of a job is notified; undefined where no address was named, or the job is gone. */
export async function callbackOf({ db }: Pick<VideoApp, 'db'>, key: VideoKey): Promise<Callback | undefined> {
  const row = await readVideo(db, key)
  if (!row || row.callback_url === null) return undefined
  return { projectId: row.project_id, url: row.callback_url }
}
