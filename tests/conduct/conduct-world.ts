/** A world with several models, each behind fake upstreams of its own, and what a caller of it sees. */
import { expect } from 'vitest'
import type { Client } from '../harness/client.ts'
import { freePort } from '../harness/free-port.ts'
import { type OpenWorld, type SharedWorldOptions, sharedWorld } from '../harness/shared-world.ts'
import { until } from '../harness/until.ts'
import { answer, type FakeUpstream, fakeUpstream } from '../harness/upstream.ts'
import { boot, type World, type WorldOptions } from '../harness/world.ts'
import { type Chunk, chunksOf, type Explained, explained, requestIdOf } from '../text/chat-world.ts'

export interface DeploymentEntry {
  /** The name of its upstream; every name is one fake upstream. */
  on: string
  weight?: number
  priority?: number
}

export interface ModelEntry {
  id: string
  deployments: DeploymentEntry[]
  fallbacks?: string[]
  resume?: 'restart'
  context?: number
  maxOutput?: number
  modalities?: string[]
  features?: string[]
  /** USD per million tokens of input and output. */
  price?: [number, number]
}

interface UpstreamOptions {
  models: ModelEntry[]
  /** Where a test waits for the end of them, of all its upstreams or of those that it names. */
  timeouts?: Impatience | ((upstream: string) => Impatience | undefined)
  onDisconnect?: 'drain'
}

export type ConductOptions = Omit<WorldOptions, 'config'> & UpstreamOptions

/** Whoever answers is not called silent, however long this machine does something else. */
const patient = {
  connect_ms: 20_000,
  first_byte_ms: 20_000,
  first_token_ms: 20_000,
  idle_ms: 20_000,
  total_ms: 60_000,
}

export type Impatience = Partial<typeof patient>

/** Short times for one upstream alone; those that answer after it keep theirs. */
export const hastyWith = (name: string, timeouts: Impatience) => (upstream: string) =>
  upstream === name ? timeouts : undefined

/** Names stand in the configuration before the addresses are known, so every upstream listens before the world boots. */
export class Conduct implements AsyncDisposable {
  readonly world: World
  readonly key: Client
  readonly #upstreams: Map<string, FakeUpstream>
  readonly #stack: AsyncDisposableStack

  constructor(world: World, key: Client, upstreams: Map<string, FakeUpstream>, stack: AsyncDisposableStack) {
    this.world = world
    this.key = key
    this.#upstreams = upstreams
    this.#stack = stack
  }

  /** The upstream of this name. */
  on(name: string): FakeUpstream {
    const upstream = this.#upstreams.get(name)
    if (!upstream) throw new Error(`no upstream ${name}`)
    return upstream
  }

  ask(model: string, streamed: boolean, more: Record<string, unknown> = {}): Promise<CallResult> {
    return callForReceipt(this.key, { model, stream: streamed, max_tokens: 4, ...more })
  }

  /**
   * Once these upstreams are well again the model answers, no call hangs at one, and of the connections only idle ones are
   * open: `idle` at most, as many as there were calls at a time.
   */
  async isWellAgain(model: string, { names = [...this.#upstreams.keys()], idle = 1 } = {}): Promise<void> {
    const upstreams = names.map((name) => this.on(name))
    for (const upstream of upstreams) upstream.reply(answer('all is well'))
    for (const streamed of [false, true])
      expect(await this.ask(model, streamed)).toMatchObject({ status: 200, content: 'all is well' })
    for (const { calls, connections } of upstreams) {
      await Promise.all(calls.map(({ whenClosed }) => whenClosed))
      await until(() => connections.open <= idle)
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync()
  }
}

export const bootConduct = (options: ConductOptions) => openConduct(boot, options)

/** The same on the shared server. */
export const shareConduct = (options: Omit<SharedWorldOptions, 'config'> & UpstreamOptions) =>
  openConduct(sharedWorld, options)

async function openConduct(start: OpenWorld, options: ConductOptions): Promise<Conduct> {
  await using stack = new AsyncDisposableStack()
  const { models, timeouts, onDisconnect, ...rest } = options
  const names = new Set(models.flatMap(({ deployments }) => deployments.map(({ on }) => on)))
  const upstreams = new Map<string, FakeUpstream>()
  // On ports that nobody else is given: one that goes away finds its own free again.
  for (const name of names) upstreams.set(name, stack.use(await fakeUpstream(await freePort())))
  const providers = [...upstreams].map(([id, { url }]) => ({
    id,
    base_url: url,
    api_key: 'upstream-secret',
    timeouts: { ...patient, ...(typeof timeouts === 'function' ? timeouts(id) : timeouts) },
    ...(onDisconnect && { on_disconnect: onDisconnect }),
  }))
  // JSON is YAML.
  const config = JSON.stringify({
    providers,
    models: models.map(entryOf),
    defaults: { credits_per_usd: 1000 },
  })
  const world = stack.use(await start({ ...rest, config }))
  const key = await world.key()
  return new Conduct(world, key, upstreams, stack.move())
}

const entryOf = (model: ModelEntry) => ({
  id: model.id,
  deployments: model.deployments.map(({ on, ...order }) => ({
    provider: on,
    model: 'upstream-model',
    ...order,
  })),
  fallbacks: model.fallbacks ?? [],
  ...(model.resume && { resume: model.resume }),
  context_length: model.context ?? 100_000,
  max_output_tokens: model.maxOutput ?? 1_000,
  input_modalities: model.modalities ?? ['text'],
  features: model.features ?? [],
  pricing: { input_per_million: model.price?.[0] ?? 1, output_per_million: model.price?.[1] ?? 2 },
})

/** What a caller got. */
export interface CallResult {
  id: string
  status: number
  headers: Headers
  /** Everything that was said, also before an error. */
  content: string
  /** Of the HTTP error or of the error event. */
  error: { code: string; type: string } | undefined
  /** The models named in the answer, in order and without repetition. */
  models: string[]
  finish: string | undefined
  usage: { prompt_tokens: number; completion_tokens: number } | undefined
  receipt: Explained
  tookMs: number
}

/** Asks and waits for the receipt. */
export async function callForReceipt(
  key: Client,
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<CallResult> {
  const streamed = body['stream'] === true
  const startedMs = performance.now()
  const reply = await key.chat(
    { ...body, ...(streamed && { stream_options: { include_usage: true } }) },
    headers,
  )
  const tookMs = performance.now() - startedMs
  const chunks: Partial<Chunk>[] =
    streamed && reply.status === 200 ? chunksOf(reply.text) : [asChunk(reply.body)]
  const answers = chunks.filter(({ error }) => !error)
  const id = requestIdOf(reply)
  return {
    id,
    status: reply.status,
    headers: reply.headers,
    content: answers.map(({ choices }) => choices?.[0]?.delta['content'] ?? '').join(''),
    error: chunks.find(({ error }) => error)?.error,
    models: [...new Set(answers.flatMap(({ model }) => model ?? []))],
    finish: answers.flatMap(({ choices }) => choices?.[0]?.finish_reason ?? []).at(-1),
    usage: answers.flatMap(({ usage }) => usage ?? []).at(-1) as CallResult['usage'],
    receipt: await explained(key, id),
    tookMs,
  }
}

/** A whole answer or an error, read as if it were one chunk. */
function asChunk(body: {
  error?: Chunk['error']
  model?: string
  usage?: Record<string, unknown>
  choices?: { message: Record<string, unknown>; finish_reason: string }[]
}): Partial<Chunk> {
  if (body.error) return { error: body.error }
  const choices = (body.choices ?? []).map(({ message, finish_reason }) => ({
    index: 0,
    delta: message,
    finish_reason,
    logprobs: null,
  }))
  return { choices, model: body.model ?? '', usage: body.usage ?? null }
}

export const outcomesOf = ({ receipt }: CallResult): string[] =>
  receipt.details.attempts.map(({ outcome }) => outcome)

/** Milliseconds between the calls that this upstream saw. */
export const gapsOf = ({ calls }: FakeUpstream): number[] =>
  calls.slice(1).map(({ arrivedMs }, position) => arrivedMs - calls[position]!.arrivedMs)
