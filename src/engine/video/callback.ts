import { type Job, job } from '#platform/jobs'

const name = 'videos.callback'

/**
 * Notifies the address that the caller of a video named. Its delivery is a capability's: `callbackWith` makes the job of its handler; here it is
 * only put into the queue.
 */
export const callbackJob: Job<{ jobId: string }> = callbackWith(async () => undefined)

export function callbackWith(handle: Job<{ jobId: string }>['handle']): Job<{ jobId: string }> {
  return job({ name, limits: () => ({ perAccount: 4, perProcess: 8 }), handle })
}
