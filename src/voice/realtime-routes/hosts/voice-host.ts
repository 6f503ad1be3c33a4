/** Begins and ends calls in this process for other processes. */
import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { WebSocketServer } from 'ws'
import { channelServer } from '#platform/channel'
import { refuseStart } from '#platform/errors'
import { type RequestContext, type Socket, SocketConnection, type SocketStream } from '#platform/http'
import { readJsonSync } from '#platform/json'
import { hostHeaders, hostKey, hostRefusals, hostVersion } from '#voice/realtime'
import type { PeerCallApp } from '../app.ts'
import {
  fromHeader,
  paths,
  receivedContext,
  requestHeader,
  type SentAnswer,
  type SentRequest,
  sentAnswer,
  sentRefusal,
} from './messages.ts'
import { hostStart } from './phrases.ts'
import { originalCode, relayBounds, stoppedCode } from './relay.ts'

/** The handlers of the routes that begin calls. */
export interface BeginHandlers {
  begin(context: RequestContext<PeerCallApp, never, never, never, never>): Promise<unknown>
  socket(context: RequestContext<PeerCallApp, never, never, never, never>): Promise<SocketStream>
}

/** The most bytes of a request, whose body was checked before. */
const maxRequestBytes = 1024 * 1024
/** How long the lines of ended calls may take to close. */
const closeMs = 1_000

/** Opens the host; undefined in a process that holds no calls, or shares its secret with no other process. Throws StartRefused. */
export async function openVoiceHost(
  app: PeerCallApp,
  handlers: BeginHandlers,
): Promise<VoiceHost | undefined> {
  const { config, realtime } = app
  const isAlone = config.roles.voice === true && !config.roles.api
  if (isAlone && config.secret === undefined) refuseStart(hostStart.noSecret)
  if (realtime.capacity === 0 || config.secret === undefined) return undefined
  const { WebSocketServer } = await import('ws')
  const sockets = new WebSocketServer({
    ...{ noServer: true, clientTracking: false, perMessageDeflate: false },
    maxPayload: relayBounds.messageBytes,
  })
  const host = new VoiceHost(app, handlers, sockets)
  await host.listen(config.secret)
  return host
}

export class VoiceHost implements AsyncDisposable {
  readonly #app: PeerCallApp
  readonly #handlers: BeginHandlers
  readonly #sockets: WebSocketServer
  readonly #open = new Set<Duplex>()
  #server: Server | undefined

  constructor(app: PeerCallApp, handlers: BeginHandlers, sockets: WebSocketServer) {
    this.#app = app
    this.#handlers = handlers
    this.#sockets = sockets
  }

  async listen(secret: string): Promise<void> {
    const { config, realtime } = this.#app
    const { address, port: first } = config.voiceHost
    // Each worker has a port of its own.
    const last = first === 0 ? 0 : first + config.workers - 1
    let port = first
    for (;;) {
      const server = this.#newServer(secret)
      server.listen({ host: address, port, exclusive: true })
      try {
        await once(server, 'listening')
        this.#server = server
        break
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code !== 'EADDRINUSE' || port >= last)
          refuseStart(hostStart.noListener(`${address}:${port}`), cause)
        port++
      }
    }
    const { port: taken } = this.#server.address() as AddressInfo
    await realtime.reachableAt(`https://${address.includes(':') ? `[${address}]` : address}:${taken}`)
  }

  #newServer(secret: string): Server {
    const server = channelServer(hostKey(secret), this.#serve)
    server.on('secureConnection', (socket: Duplex) => {
      this.#open.add(socket)
      socket.once('close', () => this.#open.delete(socket))
    })
    server.on('tlsClientError', (error) =>
      this.#app.log.warn(
        { err: error },
        'a connection to the calls of this process was refused: it has another KHERAD_SECRET',
      ),
    )
    server.on('upgrade', (message: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', () => socket.destroy())
      this.#upgrade(message, socket, head).catch((error: unknown) => this.#broke(error, socket))
    })
    return server
  }

  readonly #serve = (message: IncomingMessage, response: ServerResponse): void => {
    message.on('error', () => {})
    response.on('error', () => {})
    this.#answer(message, response).catch((error: unknown) => this.#broke(error, response))
  }

  #broke(error: unknown, line: Duplex | ServerResponse): void {
    this.#app.log.error({ err: error }, 'what another process asked of the calls of this one broke')
    line.destroy()
  }

  /** The status to refuse with; undefined where the message is for this process and its version fits. */
  #refusal({ headers }: IncomingMessage): number | undefined {
    if (headers[hostHeaders.version] !== hostVersion) return hostRefusals.otherVersion
    if (headers[hostHeaders.process] !== this.#app.realtime.processId) return hostRefusals.otherProcess
    return undefined
  }

  async #answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = this.#refusal(message)
    if (refusal !== undefined || Number(message.headers['content-length'] ?? 0) > maxRequestBytes)
      return void response.writeHead(refusal ?? 413, { connection: 'close' }).end()
    response.writeContinue()
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    // The whole message must be read: a sender that left before its end has asked another process.
    const asked = readJsonSync(await text(message), { exact: true })
    const answer =
      message.url === paths.end
        ? { ended: this.#app.realtime.end((asked as { callId: string }).callId, 'client') }
        : await this.#begin(asked as SentRequest, gone.signal)
    response.end(JSON.stringify(answer))
  }

  async #begin(request: SentRequest, gone: AbortSignal): Promise<SentAnswer> {
    const headers: [string, string][] = []
    const setHeader = (name: string, value: string): void => void headers.push([name, value])
    const context = receivedContext(this.#app, request, gone, setHeader)
    try {
      return sentAnswer(await this.#handlers.begin(context as never), headers)
    } catch (error) {
      return { headers, refusal: sentRefusal(error, this.#app.log) }
    }
  }

  async #upgrade(message: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const refusal = message.url === paths.socket ? this.#refusal(message) : 404
    if (refusal !== undefined) return refuse(socket, refusal, '')
    const request = fromHeader<SentRequest>(String(message.headers[requestHeader]))
    const gone = new AbortController()
    socket.once('close', () => gone.abort())
    let stream: SocketStream
    try {
      stream = await this.#handlers.socket(receivedContext(this.#app, request, gone.signal) as never)
    } catch (error) {
      return refuse(socket, 400, JSON.stringify(sentRefusal(error, this.#app.log)))
    }
    if (socket.destroyed) return void (await stream.unopened?.())
    this.#sockets.handleUpgrade(message, socket, head, (ws) => {
      const line = new SocketConnection(ws, relayBounds, new AbortController().signal)
      stream
        .run(relayedSocket(line))
        .catch((error: unknown) => this.#app.log.error({ err: error }, 'a call of another process broke'))
        .finally(() => line.close())
    })
  }

  /** Drains the calls of this process, then closes the host; open lines get a moment to close. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#app.realtime.drain(0)
    this.#server?.close()
    const endMs = performance.now() + closeMs
    while (this.#open.size > 0 && performance.now() < endMs)
      await new Promise((resolve) => setTimeout(resolve, 20))
    for (const socket of this.#open) socket.destroy()
  }
}

/** The line to another process, as the socket of that process's client. */
function relayedSocket(line: SocketConnection): Socket {
  const stopped = AbortSignal.abort()
  return {
    ...{ messages: line.messages, protocol: '', gone: line.gone },
    send: (data) => line.send(data),
    close: (code, reason) => line.close(code, reason),
    get closeCode() {
      return originalCode(line.closeCode)
    },
    get stopping() {
      return line.closeCode === stoppedCode ? stopped : line.stopping
    },
  }
}

function refuse(socket: Duplex, status: number, body: string): void {
  const length = Buffer.byteLength(body)
  socket.end(`HTTP/1.1 ${status} Refused\r\ncontent-length: ${length}\r\nconnection: close\r\n\r\n${body}`)
}
