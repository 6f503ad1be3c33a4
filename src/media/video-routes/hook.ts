/** Webhooks of vendors: each only prompts a look at the job, and its content is never trusted. */
import { Type } from 'typebox'
import { handleVendorWebhook } from '#media/video'
import { fail } from '#platform/errors'
import { HttpAnswer, type RequestContext } from '#platform/http'
import { patterned } from '#platform/schema'
import type { VideoRoutesApp } from './app.ts'

const wanted = { en: 'must be that of the address', fa: 'باید همان نشانی باشد' }

export const HookParams = Type.Object({
  provider: Type.String({ maxLength: 100 }),
  job: Type.String({ ...patterned('^[0-9a-fA-F-]{36}$', wanted) }),
  token: Type.String({ ...patterned('^[A-Za-z0-9_-]{16,100}$', wanted) }),
})

type HookContext = RequestContext<
  Pick<VideoRoutesApp, 'videos'>,
  unknown,
  unknown,
  { provider: string; job: string; token: string }
>

/** Receives a webhook. A wrong address and an unknown job get the same answer. */
export async function receiveHook({ app, params, body }: HookContext): Promise<HttpAnswer> {
  const isKnown = await handleVendorWebhook(app.videos, { ...params, jobId: params.job, body })
  return isKnown ? new HttpAnswer(204, null, 'text/plain') : fail('NOT_FOUND', {}, {})
}
