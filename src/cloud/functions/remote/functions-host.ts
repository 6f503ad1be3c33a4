/** A host of functions: it runs what the API sends over the channel, and has nothing of the platform but the key of that channel. */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { CloudKey } from '#cloud/clouds'
import { channelServer } from '#platform/channel'
import { Failure } from '#platform/errors'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import type { CloudProgram, FunctionRuntime } from '../functions.ts'
import { HostLinks } from './host-link.ts'
import {
  type AnswerHead,
  answerHeader,
  asHeader,
  type CallHead,
  callHeader,
  channelKey,
  fromHeader,
  goAhead,
  maxProgramBytes,
  paths,
  readJson,
  sentFailure,
} from './messages.ts'

export interface FunctionsHostOptions {
  key: string
  host: string
  port: number
  version: string
  log: Log
  metrics: Pick<Metrics, 'channelLinks' | 'channelRefusals' | 'channelDroppedLines'>
  /** Opens what runs the functions; it asks the links for what it needs. */
  openRuntime: (links: HostLinks) => FunctionRuntime
  /** The time between two messages that say what runs here. */
  stateMs?: number
}

export interface FunctionsHost {
  readonly port: number
  /** The processes of the API that are connected. */
  readonly links: HostLinks
  readonly runtime: FunctionRuntime
  /** Takes no new call; running calls have this time to end. */
  drain(drainMs: number): Promise<void>
}

export async function openFunctionsHost(options: FunctionsHostOptions): Promise<FunctionsHost> {
  const { key, host, port, log, metrics, version, stateMs, openRuntime } = options
  const state = (): ReturnType<FunctionRuntime['state']> => runtime.state()
  const links = new HostLinks({ log, metrics, state, version, ...(stateMs !== undefined && { stateMs }) })
  metrics.channelLinks.setSource(() => [[{}, links.count]])
  const runtime = openRuntime(links)
  const channel = new Channel(runtime, links, log)
  const server = channelServer(channelKey(key), channel.serve)
  const sockets = new Set<Duplex>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('tlsClientError', (error) => {
    metrics.channelRefusals.inc()
    log.warn(
      { err: error },
      'a connection to this host of functions was refused: it has not the key of the channel',
    )
  })
  server.listen(port, host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    links,
    runtime,
    async drain(drainMs) {
      channel.isStopping = true
      server.close()
      await channel.waitForCalls(drainMs)
      links.close()
      for (const socket of sockets) socket.destroy()
      await runtime[Symbol.asyncDispose]()
    },
  }
}

class Channel {
  readonly #runtime: FunctionRuntime
  readonly #links: HostLinks
  readonly #log: Log
  readonly #running = new Set<Promise<void>>()
  isStopping = false

  constructor(runtime: FunctionRuntime, links: HostLinks, log: Log) {
    this.#runtime = runtime
    this.#links = links
    this.#log = log
  }

  readonly serve = (message: IncomingMessage, response: ServerResponse): void => {
    message.on('error', () => {})
    response.on('error', () => {})
    const serving = this.#serve(message, response).catch((error: unknown) => {
      this.#log.error({ err: error }, 'a request over the channel failed')
      response.destroy()
    })
    if (message.url === paths.link) return
    this.#running.add(serving)
    void serving.finally(() => this.#running.delete(serving))
  }

  async waitForCalls(withinMs: number): Promise<void> {
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(late.resolve, withinMs)
    await Promise.race([Promise.all(this.#running), late.promise])
    clearTimeout(timer)
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    // Nothing was begun, so the API may ask another host.
    if (this.isStopping) return void response.writeHead(503, { connection: 'close' }).end()
    if (message.url === paths.link) return this.#links.serve(message, response)
    if (message.url === paths.call) return this.#call(message, response)
    const answer = message.url === paths.tryOut ? await this.#tryOut(message) : await this.#forget(message)
    response.end(JSON.stringify(answer))
  }

  async #call(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { hasBody, link, ...head } = fromHeader<CallHead>(message.headers[callHeader])
    this.#links.recordCall(head, link)
    const gone = new AbortController()
    response.once('close', () => {
      if (!response.writableFinished) gone.abort()
    })
    response.writeContinue()
    // An API that did not hear of this host in time asks another one. Once its go-ahead has come nobody repeats the call, so it may run.
    if (!(await waitForGoAhead(message))) return void response.destroy()
    try {
      const body = hasBody ? message : undefined
      const { body: bytes, ...answer } = await this.#runtime.call({ ...head, body, signal: gone.signal })
      response.writeHead(200, { [answerHeader]: asHeader(answer satisfies AnswerHead) })
      response.flushHeaders()
      await pipeline(bytes, response)
    } catch (error) {
      if (gone.signal.aborted || response.headersSent) return void response.destroy()
      if (!(error instanceof Failure)) this.#log.error({ err: error }, 'a call of a function failed here')
      response.writeHead(200, { [answerHeader]: asHeader({ failure: sentFailure(error) }) }).end()
    } finally {
      // The rest of the body, which the function did not read, is discarded: the connection is used again.
      message.resume()
    }
  }

  async #tryOut(message: IncomingMessage): Promise<unknown> {
    const request = await readJson<{ program: CloudProgram; name: string; link: string }>(
      message,
      maxProgramBytes,
    )
    this.#links.recordCall(request.program, request.link)
    try {
      return { tried: await this.#runtime.tryOut(request.program, request.name) }
    } catch (error) {
      return { failure: sentFailure(error) }
    }
  }

  async #forget(message: IncomingMessage): Promise<unknown> {
    await this.#runtime.forget(await readJson<CloudKey>(message, 10_000))
    return {}
  }
}

/** Takes the first byte of a call; false where the API left before it. */
function waitForGoAhead(message: IncomingMessage): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const take = (): void => {
    if (message.read(goAhead.length) === null) return
    message.off('readable', take)
    resolve(true)
  }
  message.on('readable', take)
  message.once('close', () => resolve(false))
  return promise
}
