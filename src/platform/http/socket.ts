/** WebSockets (RFC 6455): ordinary routes until the upgrade, then connections with limits. */
import type { Static, TSchema } from 'typebox'
import type { RequestContext, Route, RouteSpec } from './http.ts'

/** Bounds of each connection of a route. */
export interface SocketBounds {
  /** Bytes of one incoming message; a longer one closes the connection with 1009. */
  messageBytes: number
  /** Incoming messages per second, averaged over ten; more closes the connection with 1008. */
  messagesPerSecond: number
  bytesPerSecond: number
  /** A connection without any sign of life for this long is cut; a ping is sent after half of it. */
  idleMs: number
  /** How often it is checked that the key is still accepted; when it no longer is, the connection is closed with 1008. */
  keyCheckMs: number
  /** Connections of one key in one process; on a public route, of all callers without a key together. */
  perKey: number
}

const standardBounds: SocketBounds = {
  messageBytes: 64 * 1024,
  messagesPerSecond: 50,
  bytesPerSecond: 256 * 1024,
  idleMs: 60_000,
  keyCheckMs: 5_000,
  perKey: 50,
}

export interface ServedSocketOptions extends SocketBounds {
  /** Subprotocols that are served, the preferred first. */
  protocols: readonly string[]
}

export type SocketMessage = string | Buffer

/** One connection, as its handler sees it. */
export interface Socket {
  /** In order, read no faster than they are consumed; ends when the client disconnects. */
  readonly messages: AsyncIterable<SocketMessage>
  /** The agreed subprotocol; empty if there is none. */
  readonly protocol: string
  /** Sends text for a string, otherwise binary. Returns a promise only if the client reads slower than we send. */
  send(data: string | Uint8Array): Promise<void> | undefined
  /** Default code: 1000. Queued messages are still sent. */
  close(code?: number, reason?: string): void
  readonly gone: AbortSignal
  /** Of the close of this connection, once it is gone (RFC 6455, section 7.4); 1006 where nobody said one, 1002 and 1009 for what the client sent. */
  readonly closeCode: number | undefined
  /**
   * Aborts when the server begins to stop. What is under way may end within the time that a stop has (`drainMs`, as streams); the
   * connection is closed with 1001 when the handler ends, and near the end of that time in any case.
   */
  readonly stopping: AbortSignal
}

/** What happens on the connection once it is established. */
export class SocketStream {
  readonly run: (socket: Socket) => Promise<void>
  readonly unopened: (() => Promise<void> | void) | undefined
  constructor(run: (socket: Socket) => Promise<void>, unopened?: () => Promise<void> | void) {
    this.run = run
    this.unopened = unopened
  }
}

/**
 * Returned by the handler of a socket route to accept the caller. The connection is closed when `run` resolves (1000) or throws (1011).
 * Exactly one of the two is called: `unopened` where there are too many connections, the client has left, or the server stops; what the
 * handler took, such as a hold, is given back there.
 */
export const socketStream = (
  run: (socket: Socket) => Promise<void>,
  unopened?: () => Promise<void> | void,
): SocketStream => new SocketStream(run, unopened)

type Declared<Query extends TSchema, Params extends TSchema> = Omit<
  RouteSpec<TSchema, Query, Params, TSchema>,
  | 'method'
  | 'reply'
  | 'body'
  | 'upload'
  | 'otherBody'
  | 'idempotent'
  | 'bodyLimit'
  | 'streams'
  | 'ranges'
  | 'handle'
>

export interface SocketSpec<Query extends TSchema, Params extends TSchema> extends Declared<Query, Params> {
  /** Overrides of the default limits. */
  bounds?: Partial<SocketBounds>
  protocols?: readonly string[]
  /** Runs before the upgrade: its failures are answered in JSON as on every other route. */
  handle: (
    context: RequestContext<unknown, Static<Query>, Static<Params>>,
  ) => Promise<SocketStream> | SocketStream
}

/** Declares a route that is upgraded to a WebSocket, with key, scope, checks and refusals as on every other. */
export function socketRoute<Query extends TSchema, Params extends TSchema>({
  bounds,
  protocols = [],
  handle,
  ...declared
}: SocketSpec<Query, Params>): Route {
  return {
    ...(declared as unknown as Omit<Route, 'method' | 'reply' | 'handle'>),
    method: 'GET',
    reply: {},
    socket: { ...standardBounds, ...bounds, protocols },
    handle: handle as unknown as Route['handle'],
  }
}
