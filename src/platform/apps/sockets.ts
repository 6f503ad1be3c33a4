/** WebSockets of the second listener: a request for one reaches its handler as any other, which answers it or accepts it. */
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

/** Its body would be read as the first frames, so it may have none; behind a request that is still answered it is one of HTTP. */
export const asksForSocket = ({ method, headers, socket }: IncomingMessage): boolean =>
  method === 'GET' &&
  headers.upgrade?.toLowerCase() === 'websocket' &&
  headers['content-length'] === undefined &&
  headers['transfer-encoding'] === undefined &&
  !(socket as { _httpMessage?: unknown })._httpMessage

/** Until it is accepted it is answered as any request; no second one is read from its connection. */
export function listenForSockets(
  server: Server,
  serve: (message: IncomingMessage, response: ServerResponse) => void,
): void {
  // So many may come at once that they take turns.
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

/** Messages have at most so many bytes; a longer one closes the line. Undefined where the client has gone, or its handshake is none. */
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
    // One message of a line is read in a turn of the event loop: what comes at once may hold thousands.
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
