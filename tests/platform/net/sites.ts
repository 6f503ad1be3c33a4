import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net'
import { type FetchOptions, type GuardOptions, openGuardedClient } from '#platform/net'
import { whileHere } from '../../harness/while-here.ts'

/** A client for which loopback stands in for the public internet. */
export const guarded = (options: Partial<GuardOptions> = {}) =>
  openGuardedClient({ allowedCidrs: ['127.0.0.0/8'], ...options })

/** Bounds that no test here is to run into unless it says so. */
export const bounds: FetchOptions = { timeoutMs: 20_000, maxBytes: 1_000_000, protocols: ['https:', 'http:'] }

/** How every refusal is expected to look. */
export const refused = (reason: string) => ({ name: 'FetchRefused', reason })

export interface Site extends AsyncDisposable {
  url: string
  port: number
  /** Requests that arrived, in order. */
  seen: { method: string; url: string; headers: Record<string, unknown>; body: string }[]
}

/** A server of HTTP, or with a certificate of HTTPS, on loopback. */
export async function openSite(answer: RequestListener, tls?: { key: string; cert: string }): Promise<Site> {
  const seen: Site['seen'] = []
  const listener: RequestListener = whileHere(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    seen.push({ method: request.method!, url: request.url!, headers: request.headers, body })
    answer(request, response)
  })
  const server: Server = tls ? createTlsServer(tls, listener) : createServer(listener)
  const port = await listen(server)
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    seen,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

export interface Wire extends AsyncDisposable {
  url: string
  port: number
  /** Bytes that arrived on all connections together. */
  received: () => number
  connections: Set<Socket>
}

/** A server that says what it likes, below HTTP. */
export async function openWire(speak: (socket: Socket) => void): Promise<Wire> {
  const connections = new Set<Socket>()
  let bytes = 0
  const server = createTcpServer((socket) => {
    connections.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => connections.delete(socket))
    socket.on('data', (chunk) => {
      bytes += chunk.length
    })
    speak(socket)
  })
  const port = await listen(server)
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    received: () => bytes,
    connections,
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of connections) socket.destroy()
    },
  }
}

async function listen(server: TcpServer): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as { port: number }).port
}
