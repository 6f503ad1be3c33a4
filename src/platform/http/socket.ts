/** WebSockets (RFC 6455): until the upgrade they are ordinary routes, then connections with limits. */
import type { Static, TSchema } from 'typebox'
import type { RequestContext, Route, RouteSpec } from './http.ts'

/** Bounds of each connection of a route. */
export interface SocketBounds {
  /** The maximum bytes of an incoming message; a longer one closes the connection with 1009. */
  messageBytes: number
  /** The maximum incoming messages per second, averaged over ten seconds; more close the connection with 1008. */
  messagesPerSecond: number
  bytesPerSecond: number
  /** A connection without any sign of life for this long is cut; a ping is sent after half of it. */
  idleMs: number
  /** How often the key is checked; when it is no longer accepted, the connection is closed with 1008. */
  keyCheckMs: number
  /** The maximum connections of one key in one process; on a public route, of all callers without a key together. */
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
  /** The supported subprotocols, the preferred one first. */
  protocols: readonly string[]
}

export type SocketMessage = string | Buffer

/** A connection, as its handler sees it. */
export interface Socket {
  /** The incoming messages in order, read no faster than they are consumed; ends when the client disconnects. */
  readonly messages: AsyncIterable<SocketMessage>
  /** The agreed subprotocol; empty if there is none. */
  readonly protocol: string
  /** Sends text for a string, otherwise binary. Returns a promise only if the client reads slower than we send. */
  send(data: string | Uint8Array): Promise<void> | undefined
  /** Closes the connection; the default code is 1000. Queued messages are still sent. */
  close(code?: number, reason?: string): void
  readonly gone: AbortSignal
  /**
   * The code of the close, once the connection is gone (RFC 6455, section 7.4); 1006 if no side sent one, 1002 and 1009 after an invalid or too long
   * message of the client.
   */
  readonly closeCode: number | undefined
  /**
   * Aborts when the server begins to stop. Work that has begun may end within the time of a stop (`drainMs`, as for streams); the connection is
   * closed with 1001 when the handler ends, and near the end of that time in any case.
   */
  readonly stopping: AbortSignal
}

/** The work on a connection once it is established. */
export class SocketStream {
  readonly run: (socket: Socket) => Promise<void>
  readonly unopened: (() => Promise<void> | void) | undefined
  constructor(run: (socket: Socket) => Promise<void>, unopened?: () => Promise<void> | void) {
    this.run = run
    this.unopened = unopened
  }
}

/**
 * Returned by the handler of a socket route to accept the caller. The connection is closed when `run` resolves (1000) or throws (1011). Exactly one
 * of the two functions is called: `unopened` if there are too many connections, the client has left, or the server stops; it gives back what the
 * handler took, such as a hold.
 */
export const socketStream = (
  run: (socket: Socket) => Promise<void>,
  unopened?: () => Promise<void> | void,
): SocketStream => new SocketStream(run, unopened)

type SocketRouteFields<App, Query extends TSchema, Params extends TSchema> = Omit<
  RouteSpec<App, TSchema, Query, Params, TSchema>,
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

export interface SocketSpec<App, Query extends TSchema, Params extends TSchema>
  extends SocketRouteFields<App, Query, Params> {
  /** Overrides of the default limits. */
  bounds?: Partial<SocketBounds>
  protocols?: readonly string[]
  /** Runs before the upgrade. Its failures are answered in JSON as on every other route. */
  handle: (
    context: RequestContext<App, unknown, Static<Query>, Static<Params>>,
  ) => Promise<SocketStream> | SocketStream
}

/**
 * Returns the function that declares routes whose handlers take this app and that are upgraded to a WebSocket, with key, scope, checks and refusals
 * as on every other route.
 */
export const socketRoutesOf =
  <App>() =>
  <Query extends TSchema, Params extends TSchema>({
    bounds,
    protocols = [],
    handle,
    ...declared
  }: SocketSpec<App, Query, Params>): Route<App> => ({
    ...(declared as unknown as Omit<Route<App>, 'method' | 'reply' | 'handle'>),
    method: 'GET',
    reply: {},
    socket: { ...standardBounds, ...bounds, protocols },
    handle: handle as unknown as Route<App>['handle'],
  })
