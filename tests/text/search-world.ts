/** A server whose model is scripted by what it says, with a search engine beside it. */

import { type Asked, json, openEngine } from '../core/tools/asking.ts'
import type { Client } from '../harness/client.ts'
import { type FakeUpstream, fakeUpstream } from '../harness/upstream.ts'
import { boot, upstreamConfig, type World, type WorldOptions } from '../harness/world.ts'
import { searchPrice } from './responses-world.ts'
import { type ScriptedAnswer, type SpokenWire, says } from './scripted-answer.ts'

/** What the engine finds, in the order of its answer. */
export const pages = {
  news: { url: 'https://news.example.ir/rate', title: 'نرخ روز', content: 'دلار ۶۱٬۲۰۰ تومان' },
  blog: { url: 'https://blog.example.com/b', title: 'A blog', content: 'Second hand' },
}
const found = { results: Object.values(pages) }

/** Micro-credits of one search: 0.005 USD at 1,000 credits the dollar. */
export const searchFee = 5_000_000n

export interface SearchWorld extends AsyncDisposable {
  world: World
  upstream: FakeUpstream
  /** What the search engine was asked. */
  asked: Asked[]
  /** From now on the engine answers so; `found` at first. */
  finds(answer: Parameters<typeof openEngine>[0]): void
  key: Client
  /** The model answers so, one after another; fails when it is asked more often. */
  answers(...answers: ScriptedAnswer[]): void
}

export interface SearchOptions extends Omit<WorldOptions, 'config'> {
  wire?: SpokenWire
  /** Features of the model beside its usual ones. */
  features?: string
  /** False: no search is set up. */
  searches?: boolean
}

export async function bootSearching(options: SearchOptions = {}): Promise<SearchWorld> {
  const { wire = 'chat', features = '', searches = true, ...more } = options
  await using stack = new AsyncDisposableStack()
  const upstream = stack.use(await fakeUpstream())
  let answer = json(found)
  const engine = stack.use(await openEngine((request, response) => answer(request, response)))
  const tools = `tools: { web_search: { vendor: searxng, base_url: ${engine.url}, price_per_search_usd: 0.005 } }`
  const config = upstreamConfig(upstream.url, searches ? { rest: tools } : {})
    .replace('dialects: [chat]', `dialects: [${wire}]`)
    .replace('[tools, json_schema, reasoning]', `[tools, json_schema, reasoning${features}]`)
    .replace('    reasoning: {', `${searchPrice(features, 0)}    reasoning: {`)
  const world = stack.use(await boot({ ...more, config }))
  const key = await world.key()
  const open = stack.move()
  return {
    world,
    upstream,
    asked: engine.asked,
    finds: (next) => {
      answer = next
    },
    key,
    answers: (...answers) => {
      const queue = [...answers]
      upstream.reply((call) => says(wire, queue.shift() ?? { text: 'asked too often' }, call))
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}
