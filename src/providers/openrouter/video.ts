/**
 * OpenRouter's `/videos` (openrouter.ai/docs/api_reference/videos; github.com/OpenRouterTeam/skills, openrouter-video): a job is submitted by a POST
 * and looked at by `GET /videos/{id}`; its bytes are at `GET /videos/{id}/content?index=0`, with the key. Another Kherad has this wire too.
 */
import { dataUrl } from '#core/media'
import {
  UpstreamError,
  type VideoCall,
  type VideoLook,
  type VideoProgress,
  type VideoProvider,
  type VideoTicket,
} from '#core/spec'
import type { Media } from '#core/turn'
import {
  claimedCost,
  faultOfError,
  faultOfJob,
  fileBytes,
  isRecord,
  jobBytes,
  jobId,
  type LinkedFileNet,
  mediaRequest,
  throwRefusal,
  type UpstreamClient,
  videoBytes,
} from '#providers/kit'

export const videoJobs = (client: UpstreamClient, links: LinkedFileNet): VideoProvider => ({
  submit: (call) => submit(client, call),
  look: (call) => look(client, call),
  fetch: ({ ticket, signal, timeouts }) =>
    fileBytes(client, links, {
      path: `${pathOf(ticket)}/content?index=0`,
      signal,
      timeouts,
      maxBytes: videoBytes,
      accept: 'video/*',
    }),
  jobOf,
})

async function submit(client: UpstreamClient, call: VideoCall): Promise<VideoTicket> {
  const answer = await client.json(mediaRequest(call, '/videos', bodyOf(call)), jobBytes).catch(throwRefusal)
  if (!isRecord(answer)) throw malformed('a submission without an id')
  if (answer['error'] != null) throw faultOfJob(answer['error'], client.secrets)
  const id = jobId(answer['id'])
  if (id === undefined) throw malformed('a submission without an id')
  return { id }
}

/**
 * The request, in the fields of @openrouter/sdk 1.3 (videogenerationrequest). Where `frame_images` and `input_references` are both given, the former
 * win; only one of them is sent. Without a field for sound, the model's own default holds.
 */
function bodyOf({ order, upstreamModel, callbackUrl }: VideoCall): Record<string, unknown> {
  const { prompt, seconds, resolution, aspectRatio, withAudio, seed } = order
  const pictures = order.references.flatMap(pictureOf)
  return {
    model: upstreamModel,
    prompt,
    duration: seconds,
    resolution,
    aspect_ratio: aspectRatio,
    ...(withAudio !== undefined && { generate_audio: withAudio }),
    ...(seed !== undefined && { seed }),
    ...(pictures.length > 0 &&
      (order.referenceMode === 'frames'
        ? { frame_images: pictures.map((picture, at) => ({ ...picture, frame_type: frames[at] })) }
        : { input_references: pictures })),
    ...(callbackUrl !== undefined && { callback_url: callbackUrl }),
  }
}

const frames = ['first_frame', 'last_frame']

const pictureOf = ({ data, mediaType = 'image/png' }: Media) =>
  data ? [{ type: 'image_url', image_url: { url: dataUrl({ data, mediaType }) } }] : []

async function look(client: UpstreamClient, { ticket, signal, timeouts }: VideoLook): Promise<VideoProgress> {
  try {
    const answer = await client.json({ path: pathOf(ticket), signal, timeouts }, jobBytes).catch(throwRefusal)
    return progressOf(answer, client.secrets)
  } catch (error) {
    // Some vendors behind OpenRouter answer a look at refused content with a refusal (xAI: 400 `imagine:content-moderated`).
    if (error instanceof UpstreamError && error.fault === 'content_refused')
      return { status: 'failed', fault: error }
    throw error
  }
}

/** The names of the states of waiting and of running jobs, those of relays included. */
const waiting: ReadonlySet<unknown> = new Set(['pending', 'queued'])
const working: ReadonlySet<unknown> = new Set(['in_progress', 'processing', 'running'])

function progressOf(answer: unknown, secrets: readonly string[]): VideoProgress {
  if (!isRecord(answer)) throw malformed('a job that is no object')
  const { status, error, error_code: code, usage, progress, queue_position: position } = answer
  if (waiting.has(status)) return { status: 'queued', ...(isCount(position) && { position }) }
  if (working.has(status)) return { status: 'processing', ...(isPercent(progress) && { progress }) }
  if (status === 'completed') {
    const costUsd = claimedCost(isRecord(usage) ? usage['cost'] : undefined)
    return { status, ...(costUsd !== undefined && { costUsd }) }
  }
  // `dead` stands in OpenRouter's own AI SDK provider beside the others.
  if (status === 'failed' || status === 'dead')
    return { status: 'failed', fault: faultOfJob(failureText(error, code), secrets) }
  if (status === 'cancelled')
    return { status: 'failed', fault: expiredJobError('unavailable', 'The job was cancelled.') }
  if (status === 'expired')
    return { status: 'failed', fault: expiredJobError('timeout', 'The job ran out of time.') }
  if (error != null) throw faultOfError(error, secrets)
  throw malformed('no status of a job')
}

/** The failure of a job. OpenRouter sends a sentence; another Kherad has a code beside its sentence, which is in the caller's language. */
const failureText = (error: unknown, code: unknown): unknown =>
  typeof error === 'object' && error !== null ? error : { message: error ?? 'The job failed.', code }

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
const isPercent = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 100

/** The id of the job in a webhook: `{ type: "video.generation.completed", data: { id, … } }`; some senders put it beside the type. */
function jobOf(body: unknown): string | undefined {
  if (!isRecord(body) || typeof body['type'] !== 'string' || !body['type'].startsWith('video.'))
    return undefined
  const { data } = body
  return jobId(isRecord(data) ? (data['id'] ?? data['job_id']) : body['id'])
}

function pathOf({ id }: VideoTicket): string {
  if (jobId(id) === undefined) throw new UpstreamError('not_found', { executed: false })
  return `/videos/${encodeURIComponent(id)}`
}

const expiredJobError = (fault: 'timeout' | 'unavailable', detail: string): UpstreamError =>
  new UpstreamError(fault, { detail })
const malformed = (detail: string): UpstreamError => new UpstreamError('malformed', { detail })
