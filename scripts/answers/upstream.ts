/** One upstream for every wire, whose conduct is the name of the model, and which keeps what it was asked. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { isDeepStrictEqual } from 'node:util'
import { normalise } from './normalise.ts'
import { answerOf, eventsOf, type UpstreamBehaviour } from './wires.ts'

export interface Upstream extends AsyncDisposable {
  url: string
  asked: { request: string; headers: Record<string, string>; body: string }[]
  /** How many requests could have made something, repeated ones too. */
  readonly orders: number
  /** Where the last order of a video wants to be told that it has moved. */
  callbackUrl?: string
  /** `heldQuestion` is answered from now on. */
  goOn(): void
}

/** The model says nothing to this until `goOn`. */
export const heldQuestion = 'Wait for the sign.'

const keptHeaders = [
  'authorization',
  'x-api-key',
  'anthropic-version',
  'anthropic-beta',
  'content-type',
  'accept',
  'user-agent',
]

export async function openUpstream(): Promise<Upstream> {
  const asked: Upstream['asked'] = []
  const orders: Pick<Upstream, 'callbackUrl'> = {}
  let posts = 0
  const gate = Promise.withResolvers<void>()
  const server = createServer(async (request, response) => {
    const bytes = await buffer(request)
    const text = bytes.toString('utf8')
    if (request.method === 'POST') posts += 1
    const call = {
      request: `${request.method} ${request.url}`,
      headers: Object.fromEntries(
        keptHeaders
          .filter((name) => request.headers[name] !== undefined)
          .map((name) => [name, String(request.headers[name]).replace(/boundary=.*/, 'boundary=‹boundary›')]),
      ),
      body: text.startsWith('--') ? '‹form›' : normalise(text),
    }
    // How often a broken upstream is asked again within its half second is a matter of the clock.
    if (!isDeepStrictEqual(call, asked.at(-1))) asked.push(call)
    const callbackUrl = /"callback_url":\s*"([^"]+)"/.exec(text)?.[1]
    if (callbackUrl !== undefined) orders.callbackUrl = callbackUrl
    if (text.includes(heldQuestion)) await gate.promise
    perform(request, text, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    get orders() {
      return posts
    },
    get callbackUrl() {
      return orders.callbackUrl ?? ''
    },
    goOn: () => gate.resolve(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function perform(request: IncomingMessage, text: string, response: ServerResponse): void {
  const pathname = (request.url ?? '').split('?')[0]!
  const body = text.startsWith('{') ? JSON.parse(text) : {}
  const behaviour: UpstreamBehaviour | undefined = body.model
  const refusal = refusalOf(behaviour)
  if (refusal) send(response, ...refusal)
  else if (pathname === '/search') send(response, 200, found)
  else if (pathname.startsWith('/v1/videos')) film(pathname, response)
  else if (pathname.endsWith('/audio/transcriptions')) send(response, 200, heard)
  else if (body.stream !== true) send(response, 200, answerOf(pathname, behaviour, body))
  else stream(response, eventsOf(pathname, behaviour, body), behaviour === 'cut')
}

/** What it hears in every recording. */
const heard = {
  task: 'transcribe',
  language: 'persian',
  duration: 1,
  text: 'سلام دنیا',
  segments: [
    { id: 0, start: 0, end: 1, text: ' سلام دنیا', tokens: [1, 2], temperature: 0, avg_logprob: -0.2 },
  ],
  words: [
    { word: 'سلام', start: 0, end: 0.5 },
    { word: 'دنیا', start: 0.5, end: 1 },
  ],
  usage: { type: 'duration', seconds: 1 },
}

function refusalOf(behaviour: UpstreamBehaviour | undefined): [number, unknown] | undefined {
  if (behaviour?.startsWith('fails')) return [500, { error: { message: 'the upstream is broken' } }]
  if (behaviour !== 'refuses') return undefined
  return [400, { error: { type: 'invalid_request_error', message: 'the upstream refuses this' } }]
}

/** A job that is made as soon as it is ordered. */
function film(pathname: string, response: ServerResponse): void {
  if (pathname.endsWith('/content'))
    response
      .writeHead(200, { 'content-type': 'video/mp4' })
      .end(readFileSync(new URL('../../tests/fixtures/videos/480p-5s-silent.mp4', import.meta.url)))
  else if (pathname === '/v1/videos')
    send(response, 202, { id: 'film-1', polling_url: '/v1/videos/film-1', status: 'pending' })
  else send(response, 200, { id: 'film-1', polling_url: '/v1/videos/film-1', status: 'completed' })
}

function stream(response: ServerResponse, events: string[], isCut: boolean): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  if (isCut) response.write(events.slice(0, 4).join(''), () => response.destroy())
  else response.end(events.join(''))
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const found = {
  results: [
    { url: 'https://news.example.ir/rate', title: 'نرخ روز', content: 'دلار ۶۱٬۲۰۰ تومان' },
    { url: 'https://blog.example.com/b', title: 'A blog', content: 'Second hand' },
  ],
}
