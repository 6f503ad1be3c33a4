/** The end of a job is delivered to the address that its order named. */
import { callBack } from '#account/webhooks'
import { callbackOf, callbackWith, endedKeyOf } from '#media/video'

export const callbackJob = callbackWith(async ({ app, accountId, data: { jobId } }) => {
  const callback = await callbackOf(app, { accountId, jobId })
  if (callback) await callBack(app, { accountId, id: jobId, ...callback, onceKey: endedKeyOf(jobId) })
  return undefined
})
