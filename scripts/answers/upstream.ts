/** One upstream for every wire, whose conduct is the name of the model, and which keeps what it was asked. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { isDeepStrictEqual } from 'node:util'
import { normalise } from './normalise.ts'
import { answerOf, eventsOf, type UpstreamBehaviour } from './wires.ts'

export interface Upstream extends AsyncDisposable {
  url: string
  asked: { request: string; headers: Record<string, string>; body: string }[]
}

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
  const server = createServer(async (request, response) => {
    const bytes = await buffer(request)
    const text = bytes.toString('utf8')
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
    perform(request, text, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
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
  else if (body.stream !== true) send(response, 200, answerOf(pathname, behaviour, body))
  else stream(response, eventsOf(pathname, behaviour, body), behaviour === 'cut')
}

function refusalOf(behaviour: UpstreamBehaviour | undefined): [number, unknown] | undefined {
  if (behaviour?.startsWith('fails')) return [500, { error: { message: 'the upstream is broken' } }]
  if (behaviour !== 'refuses') return undefined
  return [400, { error: { type: 'invalid_request_error', message: 'the upstream refuses this' } }]
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
