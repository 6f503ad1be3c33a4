/** Videos by fal's queue: each look reads the status of the job, and its result once there is one. */

import {
  UpstreamError,
  type VideoCall,
  type VideoLook,
  type VideoProgress,
  type VideoProvider,
  type VideoTicket,
} from '#core/spec'
import {
  faultOfJob,
  isRecord,
  jobBytes,
  type LinkedFileNet,
  linkedBytes,
  throwRefusal,
  type UpstreamClient,
  videoBytes,
} from '#providers/kit'
import { videoInput } from './film-input.ts'
import { cancelJob, jobPath, jobState, malformed, requestId, submitJob } from './queue.ts'
import type { Schemas } from './schema.ts'

/** `schemas` is absent where nobody publishes any, as behind a relay. */
export const falVideoProvider = (
  client: UpstreamClient,
  links: LinkedFileNet,
  schemas?: Schemas,
): VideoProvider => ({
  submit: (call) => submit(client, call, schemas),
  look: (look) => lookAt(client, look),
  fetch: (look) => fetchVideo(client, links, look),
  cancel: (look) =>
    requestId(look.ticket.id) === undefined
      ? Promise.resolve()
      : cancelJob(client, pathOf(look), look.signal),
  jobOf,
})

async function submit(client: UpstreamClient, call: VideoCall, schemas?: Schemas): Promise<VideoTicket> {
  const { order, upstreamModel, signal, timeouts, traceparent, callbackUrl } = call
  if (signal.aborted) throw new UpstreamError('aborted', { executed: false })
  const fields = await schemas?.fieldsOf(upstreamModel, signal)
  const id = await submitJob(client, upstreamModel, {
    body: videoInput(order, fields),
    headers: traceparent === undefined ? {} : { traceparent },
    signal,
    timeouts,
    webhook: callbackUrl,
  })
  return { id }
}

async function lookAt(client: UpstreamClient, look: VideoLook): Promise<VideoProgress> {
  const { signal, timeouts } = look
  const answer = await client.json({ path: `${pathOf(look)}/status`, signal, timeouts }, jobBytes)
  const state = jobState(answer, client.secrets)
  if (state.status !== 'completed') return state
  // A job that failed is completed too, and its result is the failure.
  const videoResult = await resultOf(client, look)
  return 'fault' in videoResult ? { status: 'failed', fault: videoResult.fault } : { status: 'completed' }
}

/** The address of the video, or why the job failed. Throws where the look itself failed. */
async function resultOf(
  client: UpstreamClient,
  look: VideoLook,
): Promise<{ url: string } | { fault: UpstreamError }> {
  const { signal, timeouts } = look
  try {
    const answer = await client.json({ path: pathOf(look), signal, timeouts }, jobBytes).catch(throwRefusal)
    if (!isRecord(answer)) throw malformed('a result that is no object')
    if (answer['error'] != null) return { fault: faultOfJob(answer['error'], client.secrets) }
    const url = urlIn(answer)
    if (url === undefined)
      return { fault: new UpstreamError('unavailable', { detail: 'A result without a video.' }) }
    return { url }
  } catch (error) {
    const isOfJob = error instanceof UpstreamError && jobResultFaults.has(error.fault)
    if (!isOfJob) throw error
    return { fault: error }
  }
}

/** Faults that are the result of the job: the queue took the request long before the model answers it with 4xx. */
const jobResultFaults: ReadonlySet<string> = new Set([
  'content_refused',
  'invalid_request',
  'context_overflow',
])

/** The address in `video`, or in the first of `videos`. A flagged video is black. */
function urlIn({ video, videos, has_nsfw_concepts: flags }: Record<string, unknown>): string | undefined {
  if (Array.isArray(flags) && flags[0] === true)
    throw new UpstreamError('content_refused', { detail: 'The model flagged the content.' })
  const [first]: unknown[] = Array.isArray(videos) ? videos : [video]
  return isRecord(first) && typeof first['url'] === 'string' ? first['url'] : undefined
}

async function* fetchVideo(
  client: UpstreamClient,
  links: LinkedFileNet,
  look: VideoLook,
): AsyncGenerator<Uint8Array, void> {
  const videoResult = await resultOf(client, look)
  if ('fault' in videoResult) throw videoResult.fault
  const { signal, timeouts } = look
  yield* linkedBytes(videoResult.url, links, { signal, timeouts, maxBytes: videoBytes, accept: 'video/*' })
}

/**
 * The id of the job in a webhook: `{ request_id, gateway_request_id, status: "OK" or "ERROR", payload, error }` (fal.ai/docs, inference/webhooks).
 */
function jobOf(body: unknown): string | undefined {
  if (!isRecord(body) || (body['status'] !== 'OK' && body['status'] !== 'ERROR')) return undefined
  return requestId(body['request_id'])
}

function pathOf({ ticket, upstreamModel }: VideoLook): string {
  if (requestId(ticket.id) === undefined) throw new UpstreamError('not_found', { executed: false })
  return jobPath(upstreamModel, ticket.id)
}
