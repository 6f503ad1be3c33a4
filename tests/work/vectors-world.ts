/** A world whose knowledge is found by vectors of a fake upstream: texts of one meaning have one direction. */
import type { Client } from '../harness/client.ts'
import { type OpenWorld, type SharedWorldOptions, sharedWorld } from '../harness/shared-world.ts'
import { until } from '../harness/until.ts'
import { type FakeUpstream, fakeUpstream, json, type Script, type UpstreamCall } from '../harness/upstream.ts'
import { boot, type World, type WorldOptions } from '../harness/world.ts'
import { path } from './knowledge-world.ts'

const meanings: [RegExp, number[]][] = [
  [/گربه|پیشی|cat/, [1, 0, 0]],
  [/وام|تسهیلات|loan/, [0, 1, 0]],
]
const directionOf = (text: string): number[] => meanings.find(([of]) => of.test(text))?.[1] ?? [0.1, 0.1, 1]

export const textsIn = ({ body }: UpstreamCall): string[] => body?.['input'] as string[]

export const tokensEach = 5

export const meant = (call: UpstreamCall): Script => {
  const texts = textsIn(call)
  const data = texts.map((text, index) => ({ index, embedding: directionOf(text) }))
  return json(200, { data, usage: { prompt_tokens: tokensEach * texts.length } })
}

/** 0.5 USD a million: 500 micro-credits a token. */
const config = (url: string) => `
providers:
  - { id: fake, base_url: ${url}, dialects: [chat], timeouts: { first_byte_ms: 20000 } }
models:
  - id: test/near
    kind: embedding
    deployments: [{ provider: fake, model: near-1 }]
    max_input_tokens: 8192
    max_batch: 2
    max_dimensions: 3
    pricing: { input_per_million: 0.5 }
defaults: { text_model: sandbox/fast, embedding_model: test/near, credits_per_usd: 1000, markup: 1.0 }
`
export const perToken = 500n
/** What one call is held at. */
export const worstOf = (...texts: string[]): bigint =>
  perToken * texts.reduce((sum, text) => sum + BigInt(Math.ceil(Buffer.byteLength(text) / 2) + 4), 0n)

export interface VectorsWorld extends AsyncDisposable {
  world: World
  upstream: FakeUpstream
  key: Client
}

export const bootOnVectors = (options: Omit<WorldOptions, 'config'> = {}) => openOnVectors(boot, options)

/** The same on the shared server. */
export const shareOnVectors = (options: Omit<SharedWorldOptions, 'config'> = {}) =>
  openOnVectors(sharedWorld, options)

async function openOnVectors(start: OpenWorld, options: Omit<WorldOptions, 'config'>): Promise<VectorsWorld> {
  await using stack = new AsyncDisposableStack()
  const upstream = stack.use(await fakeUpstream())
  upstream.reply(meant)
  const world = stack.use(await start({ ...options, config: config(upstream.url) }))
  const key = await world.key()
  const open = stack.move()
  return { world, upstream, key, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

/** The source, once its vectors are made or given up. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
export const embedded = (key: Client, id: string, sourceId: string): Promise<any> =>
  until(async () => {
    const { status, body } = await key.get(`${path}/${id}/sources/${sourceId}`)
    return status >= 500 || body.state === 'queued' || body.vectors?.state === 'queued' ? undefined : body
  })

export interface Paid {
  endpoint: string
  state: string
  held: bigint
  charged: bigint
  status_code: number
  ambiguous: boolean
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
  detail: any
}

/** Receipts of the embedding model, the oldest first. */
export const receipts = (world: World, account = world.account): Promise<Paid[]> =>
  world.app.db.query(
    {
      text: `select endpoint, state, held, charged, status_code, ambiguous, detail from ledger.receipts
        where account_id = $1 and model = 'test/near' order by receipt_id`,
    },
    [account],
  )
