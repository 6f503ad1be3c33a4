/** Notifies the address that a job's order named, at the end of the job. */
import { deliverCallback } from '#account/webhooks'
import { callbackOf, callbackWith, endedKeyOf } from '#media/video'
import type { VideoRoutesApp } from './app.ts'

export const callbackJob = callbackWith<VideoRoutesApp>(async ({ app, accountId, data: { jobId } }) => {
  const callback = await callbackOf(app.videos, { accountId, jobId })
  if (callback) await deliverCallback(app, { accountId, id: jobId, ...callback, onceKey: endedKeyOf(jobId) })
  return undefined
})
