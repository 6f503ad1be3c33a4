/** Notifies the address that a job's order named, at the end of the job. */
import { deliverCallback } from '#account/webhooks'
import { callbackOf, callbackWith, endedKeyOf } from '#media/video'

export const callbackJob = callbackWith(async ({ app, accountId, data: { jobId } }) => {
  const callback = await callbackOf(app, { accountId, jobId })
  if (callback) await deliverCallback(app, { accountId, id: jobId, ...callback, onceKey: endedKeyOf(jobId) })
  return undefined
})
