/** A broker whose public internet is loopback, and a cloud of it that speaks HTTP over its socket as workerd does. */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type IncomingHttpHeaders, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Readable } from 'node:stream'
import {
  type BrokeredCloud,
  type BrokerLimits,
  type CloudEgress,
  type EgressMeter,
  invocationHeader,
  openBroker,
  type PlatformListeners,
  protocolHeader,
} from '#cloud/functions'
import { openMetrics } from '#platform/metrics'
import { type GuardOptions, openGuardedClient } from '#platform/net'
import { makeSeries } from '../../../src/metrics.ts'

export interface FetchOptions {
  method?: string
  headers?: Record<string, string | string[]> | string[]
  body?: string | Buffer | Readable
  /** The call that sends; `first`, which each world has, when absent. Null: none is named. */
  call?: string | null
  signal?: AbortSignal
}

export interface Reply {
  status: number
  headers: IncomingHttpHeaders
  text: string
  /** The code, where the broker answers itself. */
  refused: string | undefined
}

export interface BrokerWorldOptions {
  net?: Partial<GuardOptions>
  limits?: Partial<BrokerLimits>
  inside?: PlatformListeners
  meter?: EgressMeter
}

export const freeMeter: EgressMeter = { take: async () => true }

export const cloudOf = (ref: string): BrokeredCloud => ({
  accountId: '00000000-0000-7000-8000-000000000001',
  cloudId: `00000000-0000-7000-8000-0000000000${ref.length.toString(16).padStart(2, '0')}`,
  ref,
  plan: 'starter',
  cloudUrl: `http://${ref}.localhost:8081`,
})

export const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} }

/** `await using world = await brokerWorld()` */
export async function brokerWorld(options: BrokerWorldOptions = {}) {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(path.join(tmpdir(), 'kherad-egress-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const metrics = openMetrics(makeSeries, { isWorker: false })
  const broker = stack.use(
    openBroker({
      net: openGuardedClient({ allowedCidrs: ['127.0.0.0/8'], ...options.net }),
      log: silent,
      metrics,
      listeners: () => options.inside ?? {},
      depthSigner: async () => () => Buffer.alloc(32, 7),
      egressOf: () => options.meter ?? freeMeter,
      ...(options.limits && { limits: options.limits }),
    }),
  )
  const open = async (ref: string): Promise<CloudEgress> =>
    broker.open(cloudOf(ref), path.join(folder, `${ref}.sock`))
  const egress = await open('abcdefghijklmnopqrst')
  const first = egress.begin('first', 0)
  const kept = stack.move()
  return {
    broker,
    metrics,
    open,
    egress,
    first,
    /** As a function's `fetch` leaves workerd. */
    fetch: (url: string, fetchOptions: FetchOptions = {}) => fetchOver(egress.socketPath, url, fetchOptions),
    /** Bytes as they are, for what no HTTP client would write; resolves with all that comes until the connection ends. */
    raw: (text: string | Buffer) => rawOver(egress.socketPath, text),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

export async function fetchOver(socketPath: string, url: string, options: FetchOptions = {}): Promise<Reply> {
  const { protocol, host, pathname, search } = new URL(url)
  const { method = 'GET', headers = {}, body, call = 'first', signal } = options
  const own = {
    host,
    [protocolHeader]: protocol.slice(0, -1),
    ...(call !== null && { [invocationHeader]: call }),
  }
  const sent = request({
    socketPath,
    method,
    path: pathname + search,
    headers: Array.isArray(headers) ? [...headers, ...Object.entries(own).flat()] : { ...own, ...headers },
    agent: false,
    ...(signal && { signal }),
  })
  if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) sent.end(body)
  else body.pipe(sent)
  const [answer] = await once(sent, 'response')
  let text = ''
  for await (const chunk of answer.setEncoding('utf8')) text += chunk
  return {
    status: answer.statusCode,
    headers: answer.headers,
    text,
    refused: answer.headers['x-kherad-refusal'],
  }
}

export async function rawOver(socketPath: string, text: string | Buffer): Promise<string> {
  const socket: Socket = connect(socketPath)
  let received = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    received += chunk
  })
  socket.on('error', () => {})
  socket.write(text)
  await once(socket, 'close')
  return received
}
