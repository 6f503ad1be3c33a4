/** What the tests of webhooks share: a receiver on a loopback address that stands in for the public internet, and a world around it. */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { expect } from 'vitest'
import { type EventType, writeEvent } from '#platform/events'
import { type Lookup, openGuardedClient } from '#platform/net'
import { selfSigned } from '../harness/certificate.ts'
import type { Client, Seen } from '../harness/client.ts'
import { until } from '../harness/until.ts'
import { whileHere } from '../harness/while-here.ts'
import { boot, type World, type WorldOptions } from '../harness/world.ts'

export const path = '/v1/webhooks'
export const host = 'hook.test'
/** Beside the address of the receiver all of loopback stays forbidden. */
const address = '127.0.0.2'
export const tls = selfSigned(host, 'moves.test', 'localhost')

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
  atMs: number
}

export interface Receiver extends AsyncDisposable {
  port: number
  url(name: string): string
  got(name: string): Received[]
  /** How the address answers from now on; 204 at once where nobody said. */
  answer(name: string, with_: (response: ServerResponse, nth: number) => unknown): void
  /** Requests under way to the address now, and the most there ever were. */
  busy(name: string): { now: number; max: number }
  sockets: () => number
}

export async function openReceiver(at = { host, address }): Promise<Receiver> {
  const got = new Map<string, Received[]>()
  const busy = new Map<string, { now: number; max: number }>()
  const answers = new Map<string, (response: ServerResponse, nth: number) => unknown>()
  const busyAt = (name: string) => busy.get(name) ?? busy.set(name, { now: 0, max: 0 }).get(name)!
  const gotAt = (name: string) => got.get(name) ?? got.set(name, []).get(name)!
  let sockets = 0
  const server = createServer(
    { ...tls, keepAliveTimeout: 30_000 },
    whileHere(async (request, response) => {
      const name = request.url!.slice(1)
      const level = busyAt(name)
      level.now += 1
      level.max = Math.max(level.max, level.now)
      response.on('close', () => {
        level.now -= 1
      })
      let body = ''
      for await (const chunk of request.setEncoding('utf8')) body += chunk
      const all = gotAt(name)
      all.push({ path: request.url!, headers: request.headers, body, atMs: Date.now() })
      const answer = answers.get(name)
      if (answer) answer(response, all.length)
      else response.writeHead(204).end()
    }),
  )
  server.on('secureConnection', () => {
    sockets += 1
  })
  server.listen(0, at.address)
  await once(server, 'listening')
  const { port: bound } = server.address() as { port: number }
  return {
    port: bound,
    url: (name) => `https://${at.host}:${bound}/${name}`,
    got: gotAt,
    answer: (name, with_) => void answers.set(name, with_),
    busy: busyAt,
    sockets: () => sockets,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** A client that trusts the receiver's certificate and may reach its address. */
export const guardedFor = (lookup: Lookup = toReceiver) =>
  openGuardedClient({ allowedCidrs: [`${address}/32`], ca: tls.cert, lookup })

export const toReceiver: Lookup = async (name) => {
  if (name === host || name === 'moves.test') return [{ address, family: 4 }]
  if (name === 'inside.test') return [{ address: '10.0.0.5', family: 4 }]
  if (name === 'both.test')
    return [
      { address, family: 4 },
      { address: '10.0.0.5', family: 4 },
    ]
  throw new Error(`${name} is not known`)
}

export interface WebhooksWorld extends AsyncDisposable {
  world: World
  key: Client
  receiver: Receiver
}

export async function bootWebhooks(options: WorldOptions = {}): Promise<WebhooksWorld> {
  await using stack = new AsyncDisposableStack()
  const receiver = stack.use(await openReceiver())
  const world = stack.use(await boot({ net: guardedFor(), ...options }))
  const key = await world.key()
  const open = stack.move()
  return { world, key, receiver, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

export const connect = (
  key: Client,
  url: string,
  events: readonly string[] = ['agent.lead'],
  headers: Record<string, string> = {},
): Promise<Seen> => key.post(path, { url, events }, headers)

/** A connection to an address of the receiver. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
export async function connected(at: WebhooksWorld, name: string, ...events: string[]): Promise<any> {
  const made = await connect(at.key, at.receiver.url(name), events.length > 0 ? events : ['agent.lead'])
  expect(made.status, made.text).toBe(201)
  return made.body
}

/** Something happens, so many times. */
export async function happen(
  { world }: Pick<WebhooksWorld, 'world'>,
  times = 1,
  type: EventType = 'agent.lead',
  projectId = world.project,
): Promise<void> {
  const now = new Date(world.app.clock.nowMs())
  await world.app.db.tx(async (tx) => {
    for (let n = 0; n < times; n++)
      await writeEvent(tx, { accountId: world.account, projectId, type, data: { n, name: 'زهرا' } }, now)
  })
}

/** Wakes the dispatchers as the outbox does: after the clock was moved there is something to look for. */
export const nudge = ({ world }: Pick<WebhooksWorld, 'world'>): Promise<unknown> =>
  world.app.db.query({ text: `select pg_notify('webhooks', '')` }, [])

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
export async function deliveries(key: Client, query: Record<string, string> = {}): Promise<any[]> {
  const reply = await key.get(`${path}/deliveries?${new URLSearchParams(query)}`)
  expect(reply.status, reply.text).toBe(200)
  return reply.body.data
}

/** The only delivery of a connection, once it is so. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
export const delivery = (key: Client, webhookId: string, is: (it: any) => boolean): Promise<any> =>
  until(async () => (await deliveries(key, { webhook_id: webhookId })).find(is))

/** The contract's check of a signature, section 6, written from its text. */
export function checkSignature({ headers, body }: Received, secret: string, nowMs = Date.now()): void {
  const timestamp = String(headers['x-service-timestamp'])
  expect(timestamp).toMatch(/^\d{10}$/)
  expect(Math.abs(nowMs / 1000 - Number(timestamp))).toBeLessThanOrEqual(300)
  const expected = `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`
  expect(headers['x-service-signature']).toBe(expected)
}
