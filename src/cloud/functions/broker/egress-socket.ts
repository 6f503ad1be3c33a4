/** The Unix socket of one cloud. Code that has broken out of its runtime can speak to the socket too, so nothing that it receives is trusted. */
import { once } from 'node:events'
import { chmod, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { Failure, fail } from '#platform/errors'
import type { BrokeredCloud, BrokerLimits, BrokerOptions } from './broker.ts'
import { type ForwardContext, forward } from './forward.ts'
import { backgroundHeader, invocationHeader, onlyValue } from './headers.ts'
import { reasons } from './phrases.ts'
import { answerRefusal, refusalOf, writeRefusal } from './refuse.ts'
import { type EgressCall, type RunningCall, RunningCalls } from './running-calls.ts'
import { Slots } from './slots.ts'

/** What the sockets of all clouds share. */
export type BrokerState = Omit<BrokerOptions, 'limits'> & { limits: BrokerLimits; openInAll: number }

/** A call that goes on past its limit is answered slowly, so that a flood of refusals costs little. */
const refusalPauseMs = 250

export async function openEgressSocket(
  shared: BrokerState,
  cloud: BrokeredCloud,
  socketPath: string,
): Promise<EgressSocket> {
  // A killed process may have left its socket here.
  await rm(socketPath, { force: true })
  const egress = new EgressSocket(shared, cloud, socketPath)
  await egress.listen()
  return egress
}

class EgressSocket implements AsyncDisposable {
  readonly #shared: BrokerState
  readonly #cloud: BrokeredCloud
  readonly #path: string
  readonly #server: Server
  readonly #calls = new RunningCalls()
  readonly #slots: Slots

  constructor(shared: BrokerState, cloud: BrokeredCloud, path: string) {
    this.#shared = shared
    this.#cloud = cloud
    this.#path = path
    this.#slots = new Slots(shared.limits.atOnce)
    this.#server = serverOf(shared.limits, (message, response) => void this.#answer(message, response))
  }

  async listen(): Promise<void> {
    this.#server.listen(this.#path)
    await once(this.#server, 'listening')
    await chmod(this.#path, 0o600)
  }

  begin(id: string, depth: number): EgressCall {
    return this.#calls.begin(id, depth)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#server.closeAllConnections()
    await closed
    await rm(this.#path, { force: true })
  }

  async #answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    // A broken connection also ends the answer; without these listeners its error would end the process.
    message.on('error', () => {})
    response.on('error', () => {})
    if (message.headers[backgroundHeader] !== undefined) return this.#keepGoing(message, response)
    const { limits, metrics } = this.#shared
    const gone = new AbortController()
    const signal = AbortSignal.any([gone.signal, AbortSignal.timeout(limits.totalMs)])
    const call = this.#calls.of(onlyValue(message.rawHeaders, invocationHeader))
    const ended = call.begin()
    this.#shared.openInAll++
    metrics.functionFetchesOpen.inc()
    response.once('close', () => {
      if (!response.writableFinished) gone.abort()
      ended()
      this.#shared.openInAll--
      metrics.functionFetchesOpen.dec()
    })
    const forwarding: ForwardContext = {
      ...this.#shared,
      cloud: this.#cloud,
      depth: call.depth,
      signal,
      target: 'none',
    }
    try {
      await this.#admit(call, signal)
      using _slot = await this.#slot(signal)
      const result = await forward(message, response, forwarding)
      metrics.functionFetches.inc({ target: forwarding.target, result })
    } catch (error) {
      if (gone.signal.aborted) return
      const failure = refusalOf(error, { host: message.headers.host ?? '', seconds: limits.totalMs / 1000 })
      metrics.functionFetches.inc({ target: forwarding.target, result: failure.code })
      if (failure.code === 'INTERNAL')
        this.#shared.log.error({ err: error }, 'a request of a function failed here')
      answerRefusal(message, response, failure)
    }
  }

  /** Keeps a call going for as long as the answer is open: the function closes it, or `stop` of the call ends it. */
  #keepGoing(message: IncomingMessage, response: ServerResponse): void {
    message.resume()
    const call = this.#calls.find(onlyValue(message.rawHeaders, invocationHeader))
    const finish = call?.beginBackground(() => response.end())
    if (!finish) return void response.writeHead(409, { 'content-length': 0 }).end()
    response.once('close', finish)
    response.writeHead(200, { 'content-type': 'text/plain' }).flushHeaders()
  }

  /** Counts a request of the call. Throws FUNCTION_FETCH_LIMIT, and FUNCTION_FETCH_FAILED where too many requests are open. */
  async #admit(call: RunningCall, signal: AbortSignal): Promise<void> {
    const { limits } = this.#shared
    const perCall = limits.perCall * (this.#cloud.plan === 'dedicated' ? 5 : 1)
    const sent = call.count()
    if (sent > 2 * perCall) await pause(refusalPauseMs, undefined, { signal, ref: false })
    if (sent > perCall) fail('FUNCTION_FETCH_LIMIT', { most: perCall })
    if (this.#shared.openInAll > limits.inAll) fail('FUNCTION_FETCH_FAILED', { why: reasons.busy })
  }

  async #slot(signal: AbortSignal): Promise<Disposable> {
    const giveBack = await this.#slots.take(signal)
    return { [Symbol.dispose]: giveBack }
  }
}

function serverOf(
  limits: BrokerLimits,
  serve: (message: IncomingMessage, response: ServerResponse) => void,
): Server {
  const options = {
    maxHeaderSize: 16 * 1024,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.totalMs,
    connectionsCheckingInterval: Math.min(2_000, limits.headersMs),
    // This is longer than workerd keeps a connection that it does not use, so that no request runs into one that is being closed.
    keepAliveTimeout: 30_000,
    requireHostHeader: false,
    // A request for another protocol is refused in its answer.
    shouldUpgradeCallback: () => false,
  }
  const server = createServer(options, serve)
  server.maxConnections = limits.connections
  server.maxHeadersCount = 0
  server.on('checkExpectation', serve)
  server.on('connect', (_message: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => {})
    writeRefusal(socket, new Failure('FUNCTION_FETCH_UNSUPPORTED', { why: reasons.socket }, {}))
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const why =
      error.code === 'HPE_HEADER_OVERFLOW'
        ? reasons.headersTooLarge
        : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
          ? reasons.tooSlow
          : reasons.malformed
    writeRefusal(socket, new Failure('FUNCTION_FETCH_INVALID', { why }, {}))
  })
  return server
}
