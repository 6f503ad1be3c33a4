/**
 * Gemini's interactions, by which Omni makes videos (fields as lobehub/lobe-chat, model-runtime/src/providers/google/createVideo.ts, and
 * TanStack/ai#871 tried them against the API): sound is always made, `duration` is such as `5s`, two frames are no task of their own, and `delivery:
 * uri` gives a file instead of megabytes of Base64 in each look.
 */
import { encodeBase64 } from '#core/media'
import { UpstreamError, type VideoCall, type VideoLook } from '#core/spec'
import type { Media, VideoOrder } from '#core/turn'
import {
  faultOfJob,
  isRecord,
  jobBytes,
  jobId,
  mediaRequest,
  throwRefusal,
  type UpstreamClient,
} from '#providers/kit'
import { fileOf } from './file.ts'
import type { GeminiVideoState, VideoJobWire } from './film.ts'

export const interactionWire: VideoJobWire = {
  async submit(client, call) {
    const answer = await client
      .json(mediaRequest(call, '/interactions', bodyOf(call)), jobBytes)
      .catch(throwRefusal)
    if (isRecord(answer) && answer['error'] != null) throw faultOfJob(answer['error'], client.secrets)
    const id = isRecord(answer) ? jobId(answer['id']) : undefined
    if (id === undefined) throw malformed('a submission without an id')
    return id
  },

  async look(client, look) {
    const { ticket, signal, timeouts } = look
    if (jobId(ticket.id) === undefined) throw new UpstreamError('not_found', { executed: false })
    const path = `/interactions/${encodeURIComponent(ticket.id)}`
    const film = filmOf(await client.json({ path, signal, timeouts }, jobBytes), client.secrets)
    return film.status === 'completed' ? whenActive(client, look, film) : film
  },
}

function bodyOf({ order, upstreamModel }: VideoCall): Record<string, unknown> {
  const { prompt, seconds, resolution, aspectRatio, seed } = order
  const pictures = order.references.flatMap(pictureOf)
  const task = taskOf(order)
  return {
    model: upstreamModel,
    input: pictures.length === 0 ? prompt : [...pictures, { type: 'text', text: prompt }],
    background: true,
    store: true,
    response_format: {
      type: 'video',
      aspect_ratio: aspectRatio,
      resolution,
      duration: `${seconds}s`,
      delivery: 'uri',
    },
    ...((task !== undefined || seed !== undefined) && {
      generation_config: {
        ...(seed !== undefined && { seed }),
        ...(task !== undefined && { video_config: { task } }),
      },
    }),
  }
}

function taskOf({ references, referenceMode }: VideoOrder): string | undefined {
  if (references.length === 0) return 'text_to_video'
  if (referenceMode === 'guide') return 'reference_to_video'
  return references.length === 1 ? 'image_to_video' : undefined
}

const pictureOf = ({ data, mediaType = 'image/png' }: Media) =>
  data ? [{ type: 'image', data: encodeBase64(data), mime_type: mediaType }] : []

function filmOf(answer: unknown, secrets: readonly string[]): GeminiVideoState {
  if (!isRecord(answer)) throw malformed('no state of an interaction')
  const { status } = answer
  if (status === 'queued') return { status }
  if (status === 'in_progress') return { status: 'processing' }
  if (status === 'completed') {
    const uri = uriIn(answer)
    return uri === undefined
      ? {
          status: 'failed',
          fault: new UpstreamError('unavailable', { detail: 'The interaction ended without a video.' }),
        }
      : { status, uri }
  }
  const error = errorIn(answer)
  if (status === 'failed' || status === 'cancelled' || status === 'incomplete')
    return { status: 'failed', fault: faultOfJob(error ?? `The interaction is ${status}.`, secrets) }
  if (error != null) throw faultOfJob(error, secrets)
  throw malformed('no state of an interaction')
}

const stepsOf = ({ steps }: Record<string, unknown>): Record<string, unknown>[] =>
  Array.isArray(steps) ? steps.filter(isRecord) : []

/** The address in `output_video`, or of the video among what the model's steps put out. */
function uriIn(answer: Record<string, unknown>): string | undefined {
  const contents = stepsOf(answer).flatMap(({ content }) => (Array.isArray(content) ? content : []))
  const video = [answer['output_video'], ...contents].find(
    (one) => isRecord(one) && typeof one['uri'] === 'string' && (one['type'] ?? 'video') === 'video',
  )
  return isRecord(video) ? String(video['uri']) : undefined
}

const errorIn = (answer: Record<string, unknown>): unknown =>
  answer['error'] ?? stepsOf(answer).find(({ error }) => error != null)?.['error']

/** The state of the film: its file can be read once Google has processed it. */
async function whenActive(
  client: UpstreamClient,
  { signal, timeouts }: VideoLook,
  film: GeminiVideoState & { status: 'completed' },
): Promise<GeminiVideoState> {
  const file = fileOf(film.uri)
  if (file === undefined) return film
  const answer = await client.json({ path: `/files/${file}`, signal, timeouts }, jobBytes)
  const state = isRecord(answer) ? answer['state'] : undefined
  if (state === 'PROCESSING') return { status: 'processing' }
  if (state === 'FAILED')
    return {
      status: 'failed',
      fault: new UpstreamError('unavailable', { detail: 'The file of the video failed.' }),
    }
  return film
}

const malformed = (detail: string): UpstreamError => new UpstreamError('malformed', { detail })
