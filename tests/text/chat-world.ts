/** A world behind one fake upstream, and what the chat tests read out of its answers. */
import { expect } from 'vitest'
import { type Client, dataOf, type Seen } from '../harness/client.ts'
import { type OpenWorld, type SharedWorldOptions, sharedWorld } from '../harness/shared-world.ts'
import { until } from '../harness/until.ts'
import { type FakeUpstream, fakeUpstream } from '../harness/upstream.ts'
import { boot, upstreamConfig, type World, type WorldOptions } from '../harness/world.ts'

export interface UpstreamWorld extends AsyncDisposable {
  world: World
  upstream: FakeUpstream
  key: Client
}

/** Lines of the provider and of the model entry of `upstreamConfig`, and further models after it. */
export interface UpstreamLines {
  provider?: string
  model?: string
}
export type UpstreamWorldOptions = Omit<WorldOptions, 'config'> & UpstreamLines

/** A server whose default model `test/model` is answered by a fake upstream over HTTP. */
export const bootOnUpstream = (options: UpstreamWorldOptions = {}) => openOnUpstream(boot, options)

/** The same on the shared server. */
export const shareOnUpstream = (options: Omit<SharedWorldOptions, 'config'> & UpstreamLines = {}) =>
  openOnUpstream(sharedWorld, options)

async function openOnUpstream(start: OpenWorld, options: UpstreamWorldOptions): Promise<UpstreamWorld> {
  await using stack = new AsyncDisposableStack()
  const upstream = stack.use(await fakeUpstream())
  const { provider, model, ...rest } = options
  const config = upstreamConfig(upstream.url, { ...(provider && { provider }), ...(model && { model }) })
  const world = stack.use(await start({ ...rest, config }))
  const key = await world.key()
  const open = stack.move()
  return { world, upstream, key, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

/** Makes the upstream what it was at the start: nothing is scripted, and the breaker, which counts failures in a row, is closed. */
export async function recover({ world, upstream, key }: Omit<UpstreamWorld, keyof AsyncDisposable>) {
  upstream.reset()
  expect((await key.chat({ model: 'test/model' })).status).toBe(200)
  await world.settled()
}

export interface Chunk {
  id: string
  object: string
  created: number
  model: string
  choices: {
    index: number
    delta: Record<string, unknown>
    finish_reason: string | null
    logprobs: unknown
  }[]
  usage?: Record<string, unknown> | null
  error?: { message: string; type: string; code: string; param: string | null; request_id: string }
}

/** The events of a finished chat stream; fails unless `[DONE]` stands last and only there. */
export function chunksOf(text: string): Chunk[] {
  const data = dataOf(text)
  expect(data.indexOf('[DONE]')).toBe(data.length - 1)
  return data.slice(0, -1).map((event) => JSON.parse(event) as Chunk)
}

export const contentOf = (chunks: Chunk[]): string =>
  chunks.map(({ choices }) => choices?.[0]?.delta['content'] ?? '').join('')

/** What the tests read of a receipt. */
export interface Explained {
  state: string
  status_code: number
  pending: boolean
  credits: number
  microcredits: string
  reserved_microcredits: string
  model: string
  customer_id: string | null
  reference_id: string | null
  charge: unknown
  details: {
    hold_raised_from?: string
    outcome: string
    usage_source: string
    error_code?: string
    finish_reason: string | null
    max_output_tokens: number
    tokens: Record<string, number> | null
    attempts: {
      outcome: string
      status?: number
      detail?: string
      provider: string
      deployment: string
      upstream_id?: string
    }[]
  }
}

export const requestIdOf = (reply: Pick<Seen, 'headers'> | Response): string =>
  reply.headers.get('x-request-id') ?? ''

/** The receipt of a request as soon as it is settled. */
export async function explained(key: Client, requestId: string): Promise<Explained> {
  return until(async () => {
    const receipt = await key.receipt(requestId)
    return receipt.status === 200 && receipt.body.pending === false ? (receipt.body as Explained) : undefined
  })
}

/** What the receipt of a settled request counts in other units than tokens. */
export async function quantitiesOf({ app, account, project }: World, requestId: string) {
  return (await app.ledger.receipt(account, project, requestId))!.quantities
}

export const weather = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    description: 'The weather of a city.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    },
  },
}
