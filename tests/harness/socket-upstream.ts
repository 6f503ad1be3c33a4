/** WebSocket upstreams: a real server whose sessions follow a script. Those of the vendors stand in voice-wires.ts. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'

export type SocketEvent = Record<string, unknown>

/** One connection as the upstream sees it. */
export interface UpstreamSession {
  /** With its query. */
  path: string
  headers: IncomingHttpHeaders
  /** Every JSON message that came, in order. */
  events: SocketEvent[]
  /** Bytes that came as binary messages, all together. */
  binaryBytes: number
  /** Pings that came and were answered. */
  pings: number
  /** An object as JSON; text and bytes as they are. */
  send(message: SocketEvent | string | Uint8Array): void
  close(code?: number, reason?: string): void
  /** Cuts the connection without a word. */
  cut(): void
  /** Reads nothing more until `resume`. */
  pause(): void
  resume(): void
  readonly isOpen: boolean
  /** Resolves with the close code that came from the other side, or 1006. */
  whenClosed: Promise<number>
}

/** What a session does: with its opening, with each message, with bytes. */
export interface SocketScript {
  opened?(session: UpstreamSession): void
  event?(event: SocketEvent, session: UpstreamSession): void
  bytes?(bytes: Buffer, session: UpstreamSession): void
}

export interface FakeSockets extends AsyncDisposable {
  /** `http://127.0.0.1:port/v1`, as `base_url` has it. */
  url: string
  sessions: UpstreamSession[]
  /** Of all further sessions; made anew for each. */
  serve(script: () => SocketScript): void
  /** Requests that are no upgrades; until then each is answered by 404. */
  answer(handle: (request: IncomingMessage, response: ServerResponse) => void): void
  /** All further upgrades are refused so; `undefined`: never answered. */
  refuse(answer: { status: number; body: unknown } | undefined): void
  /** Resolves with the session at this position (from 0) once it is open. */
  session(position: number): Promise<UpstreamSession>
  reset(): void
}

export async function socketUpstream(tls?: { key: string; cert: string }): Promise<FakeSockets> {
  const sessions: UpstreamSession[] = []
  const waiters: { position: number; resolve: (session: UpstreamSession) => void }[] = []
  const lines = new Set<Duplex>()
  let script: () => SocketScript = () => ({})
  let refusal: { status: number; body: unknown } | 'silence' | undefined
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 64 * 1024 * 1024 })
  const server = tls ? createTlsServer(tls) : createServer()
  server.on('connection', (line: Duplex) => {
    lines.add(line)
    line.on('close', () => lines.delete(line))
    line.on('error', () => {})
  })
  const unknown = (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(404, { 'content-type': 'application/json' })
    response.end('{"error":{"message":"no such path"}}')
  }
  let handle = unknown
  server.on('request', (request: IncomingMessage, response: ServerResponse) => handle(request, response))
  server.on('upgrade', (request, line, head) => {
    if (refusal === 'silence') return
    if (refusal) {
      const body = JSON.stringify(refusal.body)
      line.end(
        `HTTP/1.1 ${refusal.status} No\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      )
      return
    }
    sockets.handleUpgrade(request, line, head, (ws) => {
      const session = sessionOf(ws, request.url ?? '', request.headers, script())
      sessions.push(session)
      for (const { position, resolve } of waiters)
        if (position < sessions.length) resolve(sessions[position]!)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    sessions,
    serve: (next) => {
      script = next
    },
    answer: (next) => {
      handle = next
    },
    refuse: (answer) => {
      refusal = answer ?? 'silence'
    },
    session: (position) => {
      const open = sessions[position]
      if (open) return Promise.resolve(open)
      return new Promise((resolve) => waiters.push({ position, resolve }))
    },
    reset: () => {
      script = () => ({})
      refusal = undefined
      sessions.length = 0
    },
    [Symbol.asyncDispose]: async () => {
      for (const line of lines) line.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

function sessionOf(
  ws: WebSocket,
  path: string,
  headers: IncomingHttpHeaders,
  script: SocketScript,
): UpstreamSession {
  const closed = Promise.withResolvers<number>()
  const session: UpstreamSession = {
    path,
    headers,
    events: [],
    binaryBytes: 0,
    pings: 0,
    send: (message) =>
      ws.send(
        typeof message === 'string' || message instanceof Uint8Array ? message : JSON.stringify(message),
      ),
    close: (code = 1000, reason = '') => ws.close(code, reason),
    cut: () => ws.terminate(),
    pause: () => ws.pause(),
    resume: () => ws.resume(),
    get isOpen() {
      return ws.readyState === ws.OPEN
    },
    whenClosed: closed.promise,
  }
  ws.on('error', () => {})
  ws.on('ping', () => {
    session.pings += 1
  })
  ws.on('close', (code) => closed.resolve(code))
  ws.on('message', (data: RawData, isBinary) => {
    const bytes = data as Buffer
    if (isBinary) {
      session.binaryBytes += bytes.length
      script.bytes?.(bytes, session)
      return
    }
    const event = JSON.parse(bytes.toString()) as SocketEvent
    session.events.push(event)
    script.event?.(event, session)
  })
  script.opened?.(session)
  return session
}
