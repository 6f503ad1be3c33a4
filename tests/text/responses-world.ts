/** What the tests of the responses wire share: questions, tools, and a world behind an upstream of this wire. */
import type { Client, Seen } from '../harness/client.ts'
import { type OpenWorld, type SharedWorldOptions, sharedWorld } from '../harness/shared-world.ts'
import { type FakeUpstream, fakeUpstream } from '../harness/upstream.ts'
import { boot, upstreamConfig, type World, type WorldOptions } from '../harness/world.ts'

export const path = '/v1/responses'

export const respond = (
  key: Client,
  body: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Seen> => key.post(path, { input: 'hello', ...body }, headers)

export const weather = {
  type: 'function' as const,
  name: 'get_weather',
  description: 'The weather of a city.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
  strict: true,
}

export interface ResponsesWorld extends AsyncDisposable {
  world: World
  upstream: FakeUpstream
  key: Client
}

/**
 * A server whose default model `test/model` takes files too and is answered by a fake upstream of these wires. `features` of the
 * model beyond the usual ones, its own searches at `pricePerSearch` USD; `rest` of the configuration.
 */
export const bootOnWires = (dialects: string, options: Omit<WorldOptions, 'config'> & WiresOptions = {}) =>
  openOnWires(boot, dialects, options)

/** The same on the shared server. */
export const shareOnWires = (
  dialects: string,
  options: Omit<SharedWorldOptions, 'config'> & Omit<WiresOptions, 'rest'> = {},
) => openOnWires(sharedWorld, dialects, options)

interface WiresOptions {
  features?: string
  rest?: string
  pricePerSearch?: number
}

async function openOnWires(
  start: OpenWorld,
  dialects: string,
  { features = '', rest = '', pricePerSearch = 0, ...ask }: Omit<WorldOptions, 'config'> & WiresOptions,
): Promise<ResponsesWorld> {
  await using stack = new AsyncDisposableStack()
  const upstream = stack.use(await fakeUpstream())
  const config = upstreamConfig(upstream.url, { rest })
    .replace('dialects: [chat]', `dialects: [${dialects}]`)
    .replace('[text, image, audio, video]', '[text, image, audio, video, file]')
    .replace('json_schema, reasoning]', `json_schema, reasoning${features && `, ${features}`}]`)
    .replace('    reasoning: {', `${searchPrice(features, pricePerSearch)}    reasoning: {`)
  const world = stack.use(await start({ ...ask, config }))
  const key = await world.key()
  const open = stack.move()
  return { world, upstream, key, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

/** The line of a model's entry that says what its own searches cost, where it has them. */
export const searchPrice = (features: string, usd: number): string =>
  features.includes('web_search') ? `    price_per_search_usd: ${usd}\n` : ''
