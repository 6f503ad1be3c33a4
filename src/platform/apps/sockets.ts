/** WebSockets of the second listener: the handler gets such a request as any other, and answers it or accepts the socket. */
import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket as NetSocket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { scheduler } from '#platform/scheduler'
import type { AppsRequest } from './apps.ts'

interface Upgrade {
  socket: Duplex
  head: Buffer
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>()

/**
 * Whether the request asks for a WebSocket. It may have no body, which would be read as the first frames; while the request before it is still being
 * answered, it counts as ordinary HTTP.
 */
export const isSocketRequest = ({ method, headers, socket }: IncomingMessage): boolean =>
  method === 'GET' &&
  headers.upgrade?.toLowerCase() === 'websocket' &&
  headers['content-length'] === undefined &&
  headers['transfer-encoding'] === undefined &&
  !(socket as { _httpMessage?: unknown })._httpMessage

/** Passes requests for WebSockets to `serve`, which can answer them as any other request; no second request is read from their connections. */
export function listenForSockets(
  server: Server,
  serve: (message: IncomingMessage, response: ServerResponse) => void,
): void {
  // Many may arrive at once, so they take turns.
  const arriving = scheduler.flow()
  server.on('upgrade', (message: IncomingMessage, socket: Duplex, head: Buffer) => {
    upgrades.set(message, { socket, head })
    socket.on('error', () => socket.destroy())
    arriving.add(() => {
      if (socket.destroyed) return
      const response = new ServerResponse(message)
      response.shouldKeepAlive = false
      response.assignSocket(socket as NetSocket)
      response.once('finish', () => (socket as NetSocket).destroySoon())
      serve(message, response)
    })
  })
}

export const isUpgrade = ({ message }: AppsRequest): boolean => upgrades.has(message)

/** Accepts the WebSocket. A message longer than `messageBytes` closes it. Undefined if the client has gone or its handshake is invalid. */
export async function acceptSocket(
  { message, response }: AppsRequest,
  { messageBytes }: { messageBytes: number },
): Promise<WebSocket | undefined> {
  const upgrade = upgrades.get(message)
  if (!upgrade || upgrade.socket.destroyed) return undefined
  const { WebSocketServer } = await import('ws')
  const options = {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    // One message of a socket is read in each turn of the event loop, because one packet may hold thousands.
    allowSynchronousEvents: false,
    maxPayload: messageBytes,
  }
  const server = new WebSocketServer(options)
  const { promise, resolve } = Promise.withResolvers<WebSocket | undefined>()
  response.detachSocket(upgrade.socket as NetSocket)
  upgrade.socket.once('close', () => resolve(undefined))
  server.handleUpgrade(message, upgrade.socket, upgrade.head, (line) => {
    line.on('error', () => undefined)
    resolve(line)
  })
  return promise
}
