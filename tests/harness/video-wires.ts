/** How each vendor of videos writes its answers. */
import type { UpstreamCall } from './upstream.ts'
import type { JobState, VideoJob, videoFixture } from './video-upstream.ts'

export type VideoWire = 'openrouter' | 'gemini' | 'interactions' | 'fal'

/** `card`: what a wire asks of the model before the order; `result`: what some wires ask beside the look. Neither costs anything. */
export type Leg = 'card' | 'submit' | 'look' | 'result' | 'content' | 'cancel' | 'list'

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
  card?: Body
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
    if (pathname === '/v1/models') return { leg: 'list' }
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

const googleError = (status: number): Body => ({
  error: { code: status, message: `an error ${status}`, status: 'AN_ERROR' },
})
const fileUri = (id: string): string =>
  `https://generativelanguage.googleapis.com/v1beta/files/${fileIdOf(id)}:download?alt=media`
const fileIdOf = (id: string): string => `file-${id.split('/').at(-1)}`

/** Of both wires: cards, files and the list. */
function googleLegOf({ method, path }: UpstreamCall): { leg: Leg; id?: string } | undefined {
  const { pathname } = new URL(path, 'http://fake')
  if (method !== 'GET') return undefined
  if (pathname === '/v1/models') return { leg: 'list' }
  if (/^\/v1\/models\/[^/]+$/.test(pathname)) return { leg: 'card' }
  const file = /^\/v1\/files\/file-([^/:]+)(:download)?$/.exec(pathname)
  return file ? { leg: file[2] ? 'content' : 'result', id: file[1]! } : undefined
}

const googleList = { models: [{ name: 'models/veo-3.1-generate-preview' }] }
const googleRefusal: [number, Body] = [
  400,
  {
    error: {
      code: 400,
      message: "Veo could not generate videos because the prompt violates Google's Responsible AI practices.",
      status: 'INVALID_ARGUMENT',
    },
  },
]

/** ai.google.dev/gemini-api/docs/veo, as vercel/ai reads it. */
const gemini: WireShape = {
  legOf(call) {
    const { pathname } = new URL(call.path, 'http://fake')
    if (call.method === 'POST' && /^\/v1\/models\/[^/]+:predictLongRunning$/.test(pathname))
      return { leg: 'submit' }
    const operation = /^\/v1\/(models\/[^/]+\/operations\/[^/]+)$/.exec(pathname)
    if (call.method === 'GET' && operation) return { leg: 'look', id: operation[1]! }
    const found = googleLegOf(call)
    return found?.id === undefined ? found : { ...found, id: `models/veo/operations/${found.id}` }
  },
  orderOf: ({ body = {} }, position) => {
    const parameters = body['parameters'] as Record<string, unknown> | undefined
    return {
      id: `models/veo/operations/op${position}`,
      callbackUrl: undefined,
      kind: kindOf(text(parameters?.['resolution']), text(parameters?.['aspectRatio'])),
    }
  },
  ticket: ({ id }) => [200, { name: id }],
  progress: ({ id }, state) => {
    if (state === 'queued' || state === 'processing') return { name: id, done: false }
    if (state === 'completed')
      return {
        name: id,
        done: true,
        response: { generateVideoResponse: { generatedSamples: [{ video: { uri: fileUri(id) } }] } },
      }
    if (state === 'refused')
      return {
        name: id,
        done: true,
        response: {
          generateVideoResponse: {
            raiMediaFilteredCount: 1,
            raiMediaFilteredReasons: ['We encountered an issue with the audio of your prompt.'],
          },
        },
      }
    return { name: id, done: true, error: { code: 13, message: 'Internal error of the model' } }
  },
  result: () => [200, { state: 'ACTIVE' }],
  webhook: () => ({}),
  card: { name: 'models/veo', supportedGenerationMethods: ['predictLongRunning'] },
  list: googleList,
  refusal: googleRefusal,
  error: googleError,
  unknown: { error: { code: 404, message: 'Operation not found', status: 'NOT_FOUND' } },
  cancelled: { status: 404, body: {} },
}

/** As lobehub/lobe-chat and TanStack/ai#871 found it. */
const interactions: WireShape = {
  ...gemini,
  legOf(call) {
    const { pathname } = new URL(call.path, 'http://fake')
    if (call.method === 'POST' && pathname === '/v1/interactions') return { leg: 'submit' }
    const interaction = /^\/v1\/interactions\/([^/]+)$/.exec(pathname)
    if (call.method === 'GET' && interaction) return { leg: 'look', id: interaction[1]! }
    return googleLegOf(call)
  },
  orderOf: ({ body = {} }, position) => {
    const format = body['response_format'] as Record<string, unknown> | undefined
    return {
      id: `v1_interaction${position}`,
      callbackUrl: undefined,
      kind: kindOf(text(format?.['resolution']), text(format?.['aspect_ratio'])),
    }
  },
  ticket: ({ id }) => [200, { id, object: 'interaction', status: 'in_progress' }],
  progress: ({ id }, state) => {
    if (state === 'queued' || state === 'processing')
      return { id, status: state === 'queued' ? 'queued' : 'in_progress' }
    if (state === 'completed')
      return {
        id,
        status: 'completed',
        steps: [
          { type: 'thought', signature: 'x' },
          {
            type: 'model_output',
            content: [{ type: 'video', mime_type: 'video/mp4', uri: fileUri(id) }],
          },
        ],
        usage: { output_tokens_by_modality: [{ modality: 'video', tokens: 57_920 }] },
      }
    const message = state === 'refused' ? 'Blocked by our moderation system' : 'Internal error of the model'
    return {
      id,
      status: state === 'cancelled' ? 'cancelled' : 'failed',
      steps: [{ type: 'model_output', error: { message } }],
    }
  },
  card: { name: 'models/omni', supportedGenerationMethods: ['generateContent', 'countTokens'] },
}

/** fal.ai/docs/api-reference/inference-api; a job that failed is completed, and its result is the failure. */
const fal: WireShape = {
  hasLinks: true,
  legOf({ method, path }) {
    const { pathname } = new URL(path, 'http://fake')
    if (pathname.includes('/00000000-0000-0000-0000-000000000000/')) return { leg: 'list' }
    const job = /^\/v1\/[^/]+\/[^/]+\/requests\/([^/]+)(\/status|\/cancel)?$/.exec(pathname)
    if (!job) return method === 'POST' ? { leg: 'submit' } : undefined
    if (job[2] === '/cancel') return method === 'PUT' ? { leg: 'cancel', id: job[1]! } : undefined
    return { leg: job[2] === '/status' ? 'look' : 'result', id: job[1]! }
  },
  orderOf: ({ path, body = {} }, position) => ({
    id: `764cabcf-b745-4b3e-ae38-${String(position).padStart(12, '0')}`,
    callbackUrl: new URL(path, 'http://fake').searchParams.get('fal_webhook') ?? undefined,
    kind: kindOf(text(body['resolution']), text(body['aspect_ratio'])),
  }),
  ticket: ({ id }) => {
    const away = `https://queue.elsewhere.example/requests/${id}`
    return [
      200,
      { status: 'IN_QUEUE', request_id: id, status_url: away, response_url: away, cancel_url: away },
    ]
  },
  progress: ({ id }, state) => {
    const response = { request_id: id, response_url: 'https://queue.elsewhere.example/' }
    if (state === 'queued') return { ...response, status: 'IN_QUEUE', queue_position: 2 }
    if (state === 'processing') return { ...response, status: 'IN_PROGRESS' }
    if (state === 'completed' || state === 'refused') return { ...response, status: 'COMPLETED' }
    return {
      ...response,
      status: 'COMPLETED',
      error: 'Internal error of the model',
      error_type: 'internal_error',
    }
  },
  result: ({ states }, url) =>
    states[0] === 'refused'
      ? [
          422,
          {
            detail: [
              { loc: ['body', 'prompt'], msg: 'flagged by a checker', type: 'content_policy_violation' },
            ],
          },
        ]
      : [200, { video: { url, content_type: 'video/mp4', file_name: 'output.mp4' }, seed: 7 }],
  webhook: ({ id }, state) => ({
    request_id: id,
    gateway_request_id: id,
    status: state === 'completed' ? 'OK' : 'ERROR',
    payload: {},
    error: state === 'completed' ? null : 'Internal error of the model',
  }),
  // The doctor asks for a request that never was.
  list: {},
  refusal: [
    422,
    { detail: [{ loc: ['body', 'prompt'], msg: 'flagged by a checker', type: 'content_policy_violation' }] },
  ],
  error: (status) => ({ detail: `an error ${status}` }),
  unknown: { detail: 'Request not found' },
  cancelled: { status: 202, body: { status: 'CANCELLATION_REQUESTED' } },
}

export const wires: Record<VideoWire, WireShape> = { openrouter, gemini, interactions, fal }
