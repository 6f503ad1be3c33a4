/** Relays the WebSocket of a client to another process that has its call: messages are passed on both ways, unread. */
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import type { WebSocket } from 'ws'
import {
  type RequestContext,
  type Socket,
  type SocketBounds,
  SocketConnection,
  type SocketStream,
  socketStream,
} from '#platform/http'
import { HostLost, headersFor, newId, type RemoteVoiceHost } from '#voice/realtime'
import type { CallApp } from '../app.ts'
import { asHeader, paths, refusalOf, requestHeader, type SentRefusal, sentRequest } from './messages.ts'

/** The bounds between two processes of this server: the client's own bounds hold at its connection. */
export const relayBounds: SocketBounds = {
  messageBytes: 16 * 1024 * 1024,
  messagesPerSecond: Number.POSITIVE_INFINITY,
  bytesPerSecond: Number.POSITIVE_INFINITY,
  idleMs: 20_000,
  keyCheckMs: 0,
  perKey: 0,
}

/**
 * Close codes of the client (RFC 6455, section 7.4.1), some of which cannot be sent, are passed on as private codes; `stoppedCode` tells that this
 * process stops.
 */
const relayedCodeOffset = 3_000
export const stoppedCode = 4_900

export const relayedCode = (code = 1006): number =>
  code < 2_000 ? code + relayedCodeOffset : 1_000 + relayedCodeOffset
export const originalCode = (code: number | undefined): number | undefined =>
  code !== undefined && code >= 1_000 + relayedCodeOffset ? code - relayedCodeOffset : code

const lostCode = 1011
const handshakeMs = 30_000

/** Opens the relay; undefined where the host did not take the call. Throws the refusal of the call, and HostLost. */
export async function openRelay(
  context: RequestContext<Pick<CallApp, 'config' | 'realtime'>>,
  host: RemoteVoiceHost,
): Promise<SocketStream | undefined> {
  const line = await connectToHost(context, host)
  if (!line) return undefined
  return socketStream(
    async (socket) => {
      const drainSeconds = Math.floor(context.app.config.timing.drainMs / 1000)
      const stop = (): void => announceStop(socket, drainSeconds)
      if (socket.stopping.aborted) stop()
      else socket.stopping.addEventListener('abort', stop, { once: true })
      await Promise.all([
        passOn(socket, line).then(() =>
          line.close(socket.stopping.aborted ? stoppedCode : relayedCode(socket.closeCode)),
        ),
        passOn(line, socket).then(() => {
          const code = line.closeCode ?? lostCode
          socket.close(isSendable(code) ? code : lostCode, line.closeReason)
        }),
      ])
    },
    () => line.terminate(),
  )
}

async function passOn(from: Socket, to: Socket): Promise<void> {
  for await (const message of from.messages) await to.send(message)
}

const isSendable = (code: number): boolean =>
  code === 1000 || code === 1001 || (code >= 1007 && code <= 1011) || code >= 3000

/** Tells the client that this process is stopped, rather than the process of the call. */
function announceStop(socket: Socket, seconds: number): void {
  void socket.send(
    JSON.stringify({ type: 'kherad.ending', event_id: newId('event'), reason: 'stopped', seconds }),
  )
}

async function connectToHost(
  context: RequestContext<Pick<CallApp, 'realtime'>>,
  host: RemoteVoiceHost,
): Promise<SocketConnection | undefined> {
  const { WebSocket } = await import('ws')
  const { hosts } = context.app.realtime
  const connection = hosts.connect(host)
  let isReached = false
  connection.once('secureConnect', () => {
    isReached = true
  })
  const ws = new WebSocket(`ws://host${paths.socket}`, {
    createConnection: () => connection,
    headers: { ...headersFor(host), [requestHeader]: asHeader(sentRequest(context)) },
    ...{ perMessageDeflate: false, handshakeTimeout: handshakeMs, maxPayload: relayBounds.messageBytes },
  })
  const leave = (): void => ws.terminate()
  context.gone.addEventListener('abort', leave, { once: true })
  try {
    const answered = await opened(ws)
    if (answered instanceof SocketConnection) return answered
    hosts.logRefusal(host, answered.statusCode)
    if (answered.statusCode !== 400) return undefined
    throw refusalOf(JSON.parse(await text(answered)) as SentRefusal)
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error
    context.gone.throwIfAborted()
    if (isReached) throw new HostLost('a process of calls broke off', { cause: error })
    return undefined
  } finally {
    context.gone.removeEventListener('abort', leave)
    if (ws.readyState !== ws.OPEN) ws.terminate()
  }
}

class ConnectionError extends Error {}

const opened = (ws: WebSocket): Promise<SocketConnection | IncomingMessage> =>
  new Promise((resolve, reject) => {
    // The line is opened at once, so that no message that comes with the handshake is missed.
    ws.once('open', () => resolve(new SocketConnection(ws, relayBounds, new AbortController().signal)))
    ws.once('unexpected-response', (_, response) => resolve(response))
    ws.on('error', (cause) => reject(new ConnectionError('no connection', { cause })))
  })
