/** WebSockets (RFC 6455): routes as all others until the upgrade, bounded lines after it. */
import type { Static, TSchema } from 'typebox'
import type { RequestContext, Route, RouteSpec } from './http.ts'

/** Bounds of each connection of a route. */
export interface SocketBounds {
  /** Of one message that comes; a longer one ends the connection with 1009. */
  messageBytes: number
  /** What may come in a second, counted over ten; more ends the connection with 1008. */
  messagesPerSecond: number
  bytesPerSecond: number
  /** A connection without any sign of life for so long is cut; after half of it one is asked for. */
  idleMs: number
  /** Connections of one key in one process. */
  perKey: number
}

const standardBounds: SocketBounds = {
  messageBytes: 64 * 1024,
  messagesPerSecond: 50,
  bytesPerSecond: 256 * 1024,
  idleMs: 60_000,
  perKey: 50,
}

export interface ServedSocketOptions extends SocketBounds {
  /** Subprotocols that are served, the preferred first. */
  protocols: readonly string[]
}

export type SocketMessage = string | Buffer

/** One connection as its handler has it. */
export interface Socket {
  /** In the order in which they come, and no faster than they are taken; ends when the other side leaves. */
  readonly messages: AsyncIterable<SocketMessage>
  /** The subprotocol of both sides; empty where there is none. */
  readonly protocol: string
  /** Text for a string, else binary. A promise only where the client is slower than we are. */
  send(data: string | Uint8Array): Promise<void> | undefined
  /** 1000 when nothing is said; what is under way goes out before. */
  close(code?: number, reason?: string): void
  readonly gone: AbortSignal
  /**
   * Aborts when the server begins to stop. What is under way may end within the time that a stop has (`drainMs`, as streams); the
   * connection is closed with 1001 when the handler ends, and near the end of that time in any case.
   */
  readonly stopping: AbortSignal
}

/** What is said once the connection stands. */
export class SocketStream {
  readonly run: (socket: Socket) => Promise<void>
  constructor(run: (socket: Socket) => Promise<void>) {
    this.run = run
  }
}

/** What the handler of a socket route answers where it lets the caller in. The connection is closed when `run` resolves (1000; 1001 at a stop) or throws (1011). */
export const socketStream = (run: (socket: Socket) => Promise<void>): SocketStream => new SocketStream(run)

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
  /** Instead of the standard ones. */
  bounds?: Partial<SocketBounds>
  protocols?: readonly string[]
  /** Before the upgrade: what it throws is answered in JSON as on every other route. */
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
