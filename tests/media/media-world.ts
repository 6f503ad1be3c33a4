/** A world whose models are asked over each of the three wires, with a web that links lead into. */
import type { ServerResponse } from 'node:http'
import type { GuardedClient } from '#platform/net'
import { png } from '../clients/media-samples.ts'
import { pdfOf } from '../core/tools/pdf.ts'
import { selfSigned } from '../harness/certificate.ts'
import type { Client, Seen } from '../harness/client.ts'
import { type OpenWorld, type SharedWorldOptions, sharedWorld } from '../harness/shared-world.ts'
import { type FakeUpstream, fakeUpstream, json, type Script } from '../harness/upstream.ts'
import { boot, type World, type WorldOptions } from '../harness/world.ts'
import { guarded, openSite, type Site } from '../platform/net/sites.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
export type Json = Record<string, any>
export type WireName = 'chat' | 'responses' | 'messages'
export const wires: readonly WireName[] = ['chat', 'responses', 'messages']

export const pdf = (pages: number): string =>
  pdfOf(...Array.from({ length: pages }, (_, page) => [`page ${page + 1}`])).toString('base64')

const host = 'files.example.test'
const tls = selfSigned(host)

export interface MediaWorld extends AsyncDisposable {
  world: World
  upstream: FakeUpstream
  key: Client
  site: Site
  /** The HTTPS link to this file of the site. */
  link(file: string): string
}

interface SiteOptions {
  /** What the site answers for paths that it does not know itself. */
  serve?: (path: string, response: ServerResponse) => void
  /** Instead of the guarded client as it is. */
  client?: (usual: GuardedClient) => GuardedClient
}

export type MediaWorldOptions = Omit<WorldOptions, 'config' | 'net'> & SiteOptions

/**
 * Models `test/<wire>`, whose provider opens links as its wire has it, and `test/<wire>-blind`, whose provider opens none. All are
 * answered by one upstream that speaks every wire. The site has `/a.png`, `/a.pdf` (3 pages) and `/moved` (to `/a.png`).
 */
export const bootMedia = (options: MediaWorldOptions = {}) => openMedia(boot, options)

/** The same on the shared server. */
export const shareMedia = (options: Pick<SharedWorldOptions, 'credits'> & SiteOptions = {}) =>
  openMedia(sharedWorld, options)

async function openMedia(start: OpenWorld, options: MediaWorldOptions): Promise<MediaWorld> {
  await using stack = new AsyncDisposableStack()
  const { serve, client = (usual) => usual, ...rest } = options
  const site = stack.use(
    await openSite(({ url = '' }, response) => answerOf(url.split('?')[0]!, response, serve), tls),
  )
  const upstream = stack.use(await fakeUpstream())
  upstream.reply(({ path }) => replyTo(path))
  const lookup = async () => [{ address: '127.0.0.1', family: 4 as const }]
  const usual = guarded({ ca: tls.cert, lookup })
  const net = { ...usual, ...client(usual) }
  const world = stack.use(await start({ credits: 100_000, ...rest, net, config: configOf(upstream.url) }))
  const key = await world.key()
  const open = stack.move()
  return {
    world,
    upstream,
    key,
    site,
    link: (file) => `https://${host}:${site.port}${file}`,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** Everywhere a dollar for a million tokens read and two for a million written: 1,000 and 2,000 micro-credits a token. */
function configOf(url: string): string {
  const names = wires.flatMap((wire) => [wire, `${wire}-blind`])
  const providers = names.map((name) => {
    const blind = name.endsWith('-blind') ? ', takes_links: false' : ''
    return `  - { id: ${name}, base_url: "${url}", dialects: [${name.replace('-blind', '')}]${blind} }`
  })
  const model = (id: string, provider: string, more = '') =>
    `  - { id: test/${id}, kind: text, deployments: [{ provider: ${provider}, model: upstream-model }], context_length: 200000,
      max_output_tokens: 16384, input_modalities: [text, image, audio, video, file], features: [tools],
      pricing: { input_per_million: 1, output_per_million: 2 }${more} }`
  return `
providers:
${providers.join('\n')}
models:
${names.map((name) => model(name, name)).join('\n')}
${model('mixed', 'chat', ', fallbacks: [test/chat-blind]')}
${model('large', 'messages').replace('200000', '1000000')}
defaults: { text_model: test/chat, credits_per_usd: 1000, markup: 1 }
`
}

function answerOf(path: string, response: ServerResponse, otherwise: MediaWorldOptions['serve']): void {
  if (path === '/a.png') response.end(Buffer.from(png, 'base64'))
  else if (path === '/a.pdf') response.end(Buffer.from(pdf(3), 'base64'))
  else if (path === '/moved') response.writeHead(302, { location: '/a.png' }).end()
  else if (otherwise) otherwise(path, response)
  else response.writeHead(404).end()
}

/** Ten tokens were read and four written: 18,000 micro-credits. */
export const cost = 18_000n

export function replyTo(path: string): Script {
  if (path.endsWith('/messages'))
    return json(200, {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'seen' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 10, output_tokens: 4 },
    })
  if (path.endsWith('/responses'))
    return json(200, {
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'seen' }] }],
      usage: { input_tokens: 10, output_tokens: 4, total_tokens: 14 },
    })
  return json(200, {
    choices: [{ index: 0, message: { role: 'assistant', content: 'seen' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 },
  })
}

/** Asks a model with these parts of a user's message, in the shape of the wire. */
export function asked(key: Client, wire: WireName, model: string, parts: readonly unknown[]): Promise<Seen> {
  const turn = [{ role: 'user', content: parts }]
  if (wire === 'chat') return key.chat({ model, messages: turn, max_tokens: 100 })
  if (wire === 'responses') return key.post('/v1/responses', { model, input: turn, max_output_tokens: 100 })
  return key.post(
    '/v1/messages',
    { model, messages: turn, max_tokens: 100 },
    { 'anthropic-version': '2023-06-01' },
  )
}

/** The place in the body of what `asked` sent at this position. */
export const placeOf = (wire: WireName, position = 0): string =>
  `${wire === 'responses' ? 'input' : 'messages'}.0.content.${position}`
