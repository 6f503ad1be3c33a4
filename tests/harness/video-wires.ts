/** How each vendor of videos writes its answers. */
import type { UpstreamCall } from './upstream.ts'
import type { JobState, VideoJob, videoFixture } from './video-upstream.ts'

export type VideoWire = 'openrouter'

/** `result` is what some wires answer beside the look: where the bytes are. */
export type Leg = 'submit' | 'look' | 'result' | 'content' | 'cancel' | 'list'

type Body = Record<string, unknown>

interface WireShape {
  /** The bytes are behind a link to another origin. */
  hasLinks?: boolean
  legOf(call: UpstreamCall): { leg: Leg; id?: string } | undefined
  /** What a submission orders; `kind`: the fixture that fits. */
  orderOf(
    call: UpstreamCall,
    position: number,
  ): { id: string; callbackUrl: string | undefined; kind: Parameters<typeof videoFixture>[0] }
  ticket(job: VideoJob, own: string): [status: number, body: Body]
  progress(job: VideoJob, state: JobState, urls: { own: string; elsewhere: string }): Body
  result(job: VideoJob, url: string): [status: number, body: Body]
  webhook(job: VideoJob, state: JobState): Body
  list: Body
  /** A submission whose content is refused. */
  refusal: [status: number, body: Body]
  error(status: number): Body
  /** Of a job that nobody knows. */
  unknown: Body
  cancelled: { status: number; body: Body }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

function kindOf(resolution: string, ratio: string): Parameters<typeof videoFixture>[0] {
  if (resolution === '1080p') return '1080p-8s-sound'
  if (resolution === '480p') return '480p-5s-silent'
  return ratio === '9:16' ? '720p-upright-4s-sound' : '720p-4s-sound'
}

const openRouterStates: Record<Exclude<JobState, 'gone'>, string> = {
  queued: 'pending',
  processing: 'in_progress',
  completed: 'completed',
  refused: 'failed',
  failed: 'failed',
  cancelled: 'cancelled',
  expired: 'expired',
}

/** openrouter.ai/docs/api_reference/videos and @openrouter/sdk 1.3 (videogenerationresponse). */
const openrouter: WireShape = {
  legOf({ method, path }) {
    const { pathname } = new URL(path, 'http://fake')
    if (method === 'POST' && pathname === '/v1/videos') return { leg: 'submit' }
    if (method !== 'GET') return undefined
    if (pathname === '/v1/models' || pathname === '/v1/videos/models') return { leg: 'list' }
    const job = /^\/v1\/videos\/([^/]+)(\/content)?$/.exec(pathname)
    return job ? { leg: job[2] ? 'content' : 'look', id: decodeURIComponent(job[1]!) } : undefined
  },
  orderOf: ({ body = {} }, position) => ({
    id: `gen-vid-1764000000-${String(position).padStart(20, 'x')}`,
    callbackUrl: typeof body['callback_url'] === 'string' ? body['callback_url'] : undefined,
    kind: kindOf(text(body['resolution']), text(body['aspect_ratio'])),
  }),
  ticket: ({ id }) => [202, { id, polling_url: `https://elsewhere.example/videos/${id}`, status: 'pending' }],
  progress: (job, state) => ({
    id: job.id,
    polling_url: `https://elsewhere.example/videos/${job.id}`,
    status: state === 'gone' ? 'expired' : openRouterStates[state],
    ...(state === 'completed' && {
      generation_id: job.id,
      unsigned_urls: [`https://elsewhere.example/videos/${job.id}/content?index=0`],
      usage: { cost: job.cost ?? null, is_byok: false },
    }),
    ...(state === 'refused' && {
      error: 'The request failed because the output video may contain sensitive information.',
    }),
    ...(state === 'failed' && { error: 'Internal error of the model' }),
  }),
  result: () => [404, {}],
  webhook: (job, state) => ({
    type: `video.generation.${state === 'refused' ? 'failed' : state}`,
    created_at: '2026-11-25T12:00:00Z',
    data: openrouter.progress(job, state, { own: '', elsewhere: '' }),
  }),
  list: { data: [{ id: 'google/veo-3.1', name: 'Veo 3.1' }] },
  refusal: [
    403,
    { error: { code: 403, message: 'Input was flagged by moderation', metadata: { reasons: ['violence'] } } },
  ],
  error: (status) => ({ error: { code: status, message: `an error ${status}` } }),
  unknown: { error: { code: 404, message: 'Video generation job not found' } },
  cancelled: { status: 404, body: {} },
}

export const wires: Record<VideoWire, WireShape> = { openrouter }
