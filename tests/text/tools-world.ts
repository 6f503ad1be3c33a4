/** A world with hosted tools: a search engine, pages behind HTTPS, and a model that is scripted by what it says, in either wire. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { openGuardedClient } from '#platform/net'
import { type Asked, json, openEngine } from '../core/tools/asking.ts'
import { selfSigned } from '../harness/certificate.ts'
import type { UpstreamCall } from '../harness/upstream.ts'
import { MovableClock, type WorldOptions } from '../harness/world.ts'
import { openSite, type Site } from '../platform/net/sites.ts'
import type { Json } from './messages-oracle.ts'
import { bootOnWires, type ResponsesWorld } from './responses-world.ts'
import { type ScriptedAnswer, says } from './scripted-answer.ts'

export interface ToolsWorld extends ResponsesWorld {
  /** The model answers so, one after another, and `over` when it is asked more often. */
  answers(...answers: ScriptedAnswer[]): void
  /** What the search engine was asked. */
  asked: Asked[]
  /** From now on it answers so; `findings` at first. */
  finds(answer: RequestListener): void
  /** The pages, `/missing` among them, and their root as the model may name it. */
  site: Site
  pages: string
  clock: MovableClock
}

/** Micro-credits of one use. */
export const searchFee = 2_000_000n
export const fetchFee = 1_000_000n

export const findings = [
  { url: 'https://news.example.ir/a', title: 'خبر یک', content: 'متن خبر یک', publishedDate: '2026-11-19' },
  { url: 'https://blog.example.com/b', title: 'Two', content: 'Second', publishedDate: null },
]
export const page = '<html><head><title>گزارش</title></head><body><p>متن گزارش برای همه</p></body></html>'

/** Answers a request to the site itself, and says so. */
export type Serve = (request: IncomingMessage, response: ServerResponse) => boolean

export async function bootWithTools(
  wire: 'chat' | 'messages',
  {
    serve,
    ...ask
  }: Omit<WorldOptions, 'config' | 'net' | 'clock'> & { features?: string; serve?: Serve } = {},
): Promise<ToolsWorld> {
  await using stack = new AsyncDisposableStack()
  let answer = json({ results: findings })
  const engine = stack.use(await openEngine((request, response) => answer(request, response)))
  const tls = selfSigned('pages.example.test')
  const site = stack.use(
    await openSite((request, response) => {
      if (serve?.(request, response)) return
      if (request.url === '/missing') response.writeHead(404).end('nothing')
      else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
    }, tls),
  )
  const net = openGuardedClient({
    allowedCidrs: ['127.0.0.0/8'],
    ca: tls.cert,
    lookup: async () => [{ address: '127.0.0.1', family: 4 }],
  })
  const clock = new MovableClock(Date.parse('2026-11-20T12:00:00Z'))
  const rest = `
tools:
  web_search: { vendor: searxng, base_url: ${engine.url}, price_per_search_usd: 0.002 }
  web_fetch: { enabled: true, price_per_fetch_usd: 0.001 }
`
  const world = stack.use(await bootOnWires(wire, { ...ask, net, clock, rest }))
  const open = stack.move()
  return {
    ...world,
    answers: (...answers) => {
      const left = [...answers]
      world.upstream.reply((call) => says(wire, left.shift() ?? { text: 'over' }, call))
    },
    asked: engine.asked,
    finds: (next) => {
      answer = next
    },
    site,
    pages: `https://pages.example.test:${site.port}`,
    clock,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** The conversation as the upstream was told it, the same for both wires: who said what, who called what, what came of it. */
export function heard(call: UpstreamCall): string[] {
  return ((call.body?.['messages'] ?? []) as Json[]).flatMap(
    ({ role, content, tool_calls: calls, tool_call_id: id }) => {
      if (role === 'tool') return [`result ${id}: ${textsOf(content)}`]
      const blocks: Json[] = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])
      const called = ((calls ?? []) as Json[]).map(
        ({ id: of, function: { name, arguments: text } }) => `call ${of}: ${name} ${text}`,
      )
      return [...blocks.flatMap((block) => heardBlock(role, block)), ...called]
    },
  )
}

function heardBlock(role: string, block: Json): string[] {
  switch (block['type']) {
    case 'text':
      return block['text'] === '' ? [] : [`${role}: ${block['text']}`]
    case 'tool_use':
      return [`call ${block['id']}: ${block['name']} ${JSON.stringify(block['input'])}`]
    case 'tool_result':
      return [`result ${block['tool_use_id']}: ${textsOf(block['content'])}`]
    default:
      return [`${role}: ${JSON.stringify(block)}`]
  }
}

const textsOf = (content: unknown): string =>
  typeof content === 'string' ? content : ((content ?? []) as Json[]).map(({ text }) => text).join('')
