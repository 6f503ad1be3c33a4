/** fal's queue (fal.ai/docs/api-reference/inference-api): one request of a model, from its submission to its end. */

import { UpstreamError } from '#core/spec'
import {
  type AbortableOptions,
  faultOfError,
  faultOfJob,
  isRecord,
  jobBytes,
  pingTimeouts,
  throwRefusal,
  type UpstreamClient,
} from '#providers/kit'

/** The path `/owner/app/path` of the model `owner/app/path`. */
export const modelPath = (model: string): string =>
  model
    .split('/')
    .map((name) => `/${encodeURIComponent(name)}`)
    .join('')

/**
 * The path of a job. It is built here, since the addresses in the answer to a submission are claims, and the key goes with the request. Status and
 * result take owner and app alone, whatever path of the app was called.
 */
export const jobPath = (model: string, id: string): string =>
  `${modelPath(model).split('/').slice(0, 3).join('/')}/requests/${id}`

/** The id as it may stand in a path; undefined where it may not. */
export const requestId = (id: unknown): string | undefined =>
  typeof id === 'string' && /^[\w-]{1,128}$/.test(id) ? id : undefined

/** Submits a job, once: if the answer is lost, a job may be running that nobody can find but by its webhook. */
export async function submitJob(
  client: UpstreamClient,
  model: string,
  request: Omit<AbortableOptions, 'path'> & { webhook?: string | undefined },
): Promise<string> {
  const { webhook, ...options } = request
  if (!/^[^/]+\/[^/]+(\/[^/]+)*$/.test(model))
    throw new UpstreamError('invalid_request', {
      executed: false,
      detail: 'A model of this wire is named owner/app.',
    })
  const query = webhook === undefined ? '' : `?fal_webhook=${encodeURIComponent(webhook)}`
  const ticket = await client
    .json({ ...options, path: modelPath(model) + query }, jobBytes)
    .catch(throwRefusal)
  if (isRecord(ticket) && ticket['error'] != null) throw faultOfError(ticket['error'], client.secrets)
  const id = isRecord(ticket) ? requestId(ticket['request_id']) : undefined
  if (id === undefined) throw malformed('a submission without a ticket')
  return id
}

export type JobState = { status: 'queued'; position?: number } | { status: 'processing' | 'completed' }

/** The state of a job, with the fault of one that has failed. Throws `UpstreamError` for an answer that is no status. */
export function jobState(
  answer: unknown,
  secrets: readonly string[],
): JobState | { status: 'failed'; fault: UpstreamError } {
  if (!isRecord(answer)) throw malformed('a status that is no object')
  const { status, error, error_type: type, queue_position: position } = answer
  const isKnown = status === 'COMPLETED' || status === 'IN_QUEUE' || status === 'IN_PROGRESS'
  if (error != null) {
    const fault = faultOfJob(type === undefined ? error : { message: error, type }, secrets)
    if (!isKnown) throw fault
    return { status: 'failed', fault }
  }
  if (status === 'COMPLETED') return { status: 'completed' }
  if (status === 'IN_PROGRESS') return { status: 'processing' }
  if (status !== 'IN_QUEUE') throw malformed('no status of a job')
  const isCount = typeof position === 'number' && Number.isSafeInteger(position) && position >= 0
  return { status: 'queued', ...(isCount && { position }) }
}

/** Cancels a job. fal does not bill what it has not begun, and may stop what it has begun. Never throws. */
export async function cancelJob(client: UpstreamClient, path: string, signal?: AbortSignal): Promise<void> {
  const request = {
    path: `${path}/cancel`,
    method: 'PUT' as const,
    signal: signal ?? new AbortController().signal,
    timeouts: pingTimeouts,
  }
  await client.bytes(request, jobBytes).catch(() => undefined)
}

export const malformed = (detail: string): UpstreamError => new UpstreamError('malformed', { detail })
