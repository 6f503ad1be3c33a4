/**
 * The HTTP server, and routes as values: method, path, scope, schemas, replies and errors in one place. Everything else is derived from the routes.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Static, TSchema } from 'typebox'
import type { Caller, CallerPerson, CredentialKind, Permission, Scope } from '#platform/auth'
import type { Config } from '#platform/config'
import type { DiskName } from '#platform/disk-space'
import type { FailureCode, Language } from '#platform/errors'
import type { Claim } from '#platform/ledger'
import type { SpoolFile } from '#platform/spool'
import type { TraceContext } from '#platform/trace'
import type { ContentAnswer } from './content.ts'
import type { CookieKind } from './cookies.ts'
import type { CorsPolicy } from './cors.ts'
import type { KeySource } from './key-source.ts'
import type { PushReply } from './push.ts'
import type { ServedSocketOptions } from './socket.ts'
import type { Upload, UploadSpec } from './upload.ts'
import './phrases.ts'

export { isInOwnBrowser, isOfPeople, requirePerson, takesSessions } from './admit-session.ts'
export type { HttpApp } from './app.ts'
export { attachment, inline } from './attachment.ts'
export { baseUrlOf } from './base-url.ts'
export { ClientGone, parseJson, type ReceivedBody, readBody } from './body.ts'
export { readToDisk } from './body-to-disk.ts'
export { ContentAnswer, type ContentSource, type ContentSpec, content } from './content.ts'
export {
  browserHashOf,
  type CookieKind,
  cookieName,
  endedSessionCookie,
  isOwnCookie,
  sessionCookie,
  withoutOwnCookies,
} from './cookies.ts'
export type { CorsPolicy } from './cors.ts'
export { costHeaders } from './cost.ts'
export { impliedErrors } from './declared-answers.ts'
export { type EventStream, type EventWriter, eventStream } from './event-stream.ts'
export { withExactNumbers } from './exact-body.ts'
export { failureOf } from './failure-of.ts'
export { hostName } from './host-name.ts'
export { BodyMemory } from './intake.ts'
export type { KeySource } from './key-source.ts'
export { languageOf } from './language.ts'
export {
  Connections,
  defaultTimeouts,
  openListener,
  type RequestListener,
  type Timeouts,
} from './listener.ts'
export { requestSeries } from './metrics.ts'
export type { PageRequest, Pages } from './pages.ts'
export {
  acceptedEncodings,
  acceptedQuality,
  acceptsByName,
  prefersByName,
  refusesType,
} from './preferences.ts'
export { answerPrepared, isNotModified, type PreparedText, prepareText } from './prepared.ts'
export { type PushedAnswer, type PushOut, type PushReply, pushReply } from './push.ts'
export { type ByteRange, requestedRange } from './range.ts'
export { ambiguityFailure, pathOfTarget } from './request-line.ts'
export { limitRequestTime } from './request-timeout.ts'
export { openServer, type Server, type Violation, type Zone } from './server.ts'
export {
  type Socket,
  type SocketBounds,
  type SocketMessage,
  SocketStream,
  socketRoutesOf,
  socketStream,
} from './socket.ts'
export { SocketConnection } from './socket-line.ts'
export { peerOf, type VisitorAddress, visitorOf } from './trusted-proxies.ts'
export { isMultipart, readUpload, type Upload, type UploadedFile, type UploadSpec } from './upload.ts'
export { type Check, compile, compileSteps, type WarmStep } from './validate.ts'

/** One request as its handler sees it. `App` is what the handler uses of the app; `unknown` fits every request. */
export interface RequestContext<App, Body = unknown, Query = unknown, Params = unknown, Fields = unknown> {
  app: App
  caller: Caller
  /** The person, if the request was authenticated by a session; see `requirePerson`. */
  readonly person: CallerPerson | undefined
  /** The checked body. Undefined if a form was sent instead, and on routes with `bodyToDisk`. */
  body: Body
  /** The bytes of the body, on routes with `bodyToDisk`. Deleted when the request ends. */
  bodyFile: SpoolFile | undefined
  /** The form, on routes with `upload`; undefined if JSON was sent instead. */
  upload: Upload<Fields> | undefined
  query: Query
  params: Params
  /** The operation of the route. */
  readonly operation: string
  /** The id of the request, a UUID; also the id of the receipt of a paid request. */
  requestId: string
  /** The caller's idempotency key with the fingerprint of this request, on routes that accept a key. */
  claim: Claim | undefined
  headers: IncomingHttpHeaders
  /** The address of the connection's other end: the client or a proxy. */
  peer: string
  language: Language
  /** The origin at which this client reaches the server, such as `https://console.example.org`. */
  readonly origin: string
  /** True for HEAD: only the headers are sent, so the body need not be produced. */
  isHead: boolean
  /** When the request was received, in Unix milliseconds. */
  receivedMs: number
  /** Collects fields for the log line and the spans of this request. */
  trace: TraceContext
  /** Aborts when the client goes away before its answer is complete. */
  readonly gone: AbortSignal
  /**
   * Grows what is reserved in memory for the bytes of the request, where they become more after they came. Waits a while for room. Throws
   * TOO_MUCH_IN_FLIGHT.
   */
  reserveMemory(bytes: number): Promise<void>
  /** Sets a header of the answer; call it before returning. */
  setHeader(name: string, value: string): void
  /** The value of one of our cookies; undefined where the browser sent none, or two of the name. */
  cookie(kind: CookieKind): string | undefined
  /** Sets one of our cookies, or deletes it where `value` is undefined; call it before returning. */
  setCookie(kind: CookieKind, value: string | undefined, maxAgeSeconds: number): void
  /** The headers of the answer that are set so far, by names in small letters. */
  readonly answerHeaders: Readonly<Record<string, string>>
}

/** A complete answer with a status or a media type of its own; a plain value is sent as the route's first reply, as JSON. */
export class HttpAnswer {
  readonly status: number
  readonly body: unknown
  readonly contentType: string | undefined
  constructor(status: number, body: unknown, contentType?: string) {
    this.status = status
    this.body = body
    this.contentType = contentType
  }
}

/** JSON text that is already serialised, so that a stored replay is identical to the first answer byte for byte. */
export class JsonText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Further members of routes: rooms above add theirs by declaration merging, and read them from the list of all routes. */
// biome-ignore lint/suspicious/noEmptyInterface: rooms above fill it.
export interface RouteDeclarations {}

interface Spec<App> extends RouteDeclarations {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path with `{name}` parameters, as in the contract. */
  path: string
  /**
   * The host on which this route alone answers: `console.example.org`, or `{name}.apps.example.org`, whose label is one of the `params`. If absent,
   * the route answers on every host that no route names.
   */
  host?: string
  /** Dotted name, such as `files.read`; used in logs, metrics and docs. */
  operation: string
  /**
   * The scope that the key or the person's role needs; `public` needs nothing, `any` a key or a role with any scopes. Only people may use routes with a
   * permission, which their role needs, and those of `person`, which are of a person and of no project.
   */
  scope: Scope | Permission | 'any' | 'public' | 'person'
  /** People may pay by a request to this route though only people may use it: the caller then has the key by which the person pays. */
  pays?: true
  /** A key with this scope is accepted too; the handler checks which of the two scopes is needed. */
  orScope?: Scope
  /** People need a factor that was given in the last 10 minutes. */
  stepUp?: boolean
  /**
   * Requests that change something are accepted only from pages of our own origin, even without cookies: for public routes that sign a browser in.
   */
  fromOwnPage?: boolean
  /** A person who has asked to be deleted may use the route. */
  whileLeaving?: boolean
  /** People may use the route while the deletion of their account can be undone, though it does more than read, or the account is suspended too. */
  whileClosing?: boolean
  /**
   * Management keys that have `scope` are accepted too: for the whole account, or in a project that they name (or the only one). Absent: the route is
   * closed to them. The permission stands for a recent factor (`stepUp`).
   */
  managementKeys?: 'account' | 'project'
  /** Accepted kinds of credentials beside. Default: keys and sessions. */
  credentials?: readonly CredentialKind[]
  /** Where the credential may stand in a request without `Authorization`. */
  keySources?: readonly KeySource[]
  /** Which pages of other origins may read the answers; if absent, those that the caller's key lists. */
  cors?: CorsPolicy<App>
  summary: { en: string; fa: string }
  /** True if whoever has the path may enter: traces then contain the route instead of the path. */
  secretPath?: boolean
  /** True when the last path parameter may hold slashes. */
  openEnded?: boolean
  idempotent?: boolean
  /**
   * The disks that the route writes to: while one of them has too little room, the request is refused with 503 before its body is read. If absent,
   * the database, for methods other than GET and DELETE and for sockets; an upload needs the spool too. `nothing`: the route only reads, makes room,
   * or ends something that costs.
   */
  writes?: 'nothing' | readonly DiskName[]
  /** Headers that the handler reads and checks, by name; for the documentation. */
  headers?: Record<string, TSchema>
  /** The `headers` without which the handler refuses. */
  requiredHeaders?: readonly string[]
  /**
   * What happens to fields that the schema does not name: they are refused with 400, or tolerated (and named in `X-Ignored-Fields` by the
   * capability).
   */
  unknownFields?: 'refuse' | 'tolerate'
  /** The maximum bytes of the body; a larger one is answered with 413. A function if an operator may set the limit. */
  bodyLimit?: number | ((config: Config) => number)
  /**
   * The JSON body is not read into memory: its bytes are on the disk when the handler begins (`context.bodyFile`), and may take as long to arrive as
   * an upload. The handler reads and checks them; `body` documents their shape. A `NotJson` that it throws is answered as INVALID_JSON. The
   * fingerprint of an idempotency key is that of the bytes as received.
   */
  bodyToDisk?: boolean
  /** Numbers that no double has keep every digit where `body` does not say what stands there, as in the input of a tool (`withExactNumbers`). */
  exactNumbers?: boolean
  /** A body of this media type is a text: it is read as JSON with this one field. */
  textBody?: { mediaType: string; field: string }
  /** A request without a body is read as one with `{}`. */
  bodyMayBeAbsent?: boolean
  /** The schemas of the answers by status; a string is a media type that is not JSON. */
  reply: Record<number, TSchema | string>
  /** Where the first reply is bytes: the schema of the JSON that a client gets instead which asks for JSON by `Accept`. */
  jsonReply?: TSchema
  /** The `Location` header of a replayed JSON answer: the address of what the first request created. */
  location?: (reply: Record<string, unknown>) => string
  /** The answer may be a stream of server-sent events. */
  streams?: boolean
  /** Media types, separated by commas, in which the answer is sent instead of JSON if the request asks for one. */
  otherTypes?: string
  /** Byte ranges may be requested (`content`): adds the answers 206 and 416 RANGE_NOT_SATISFIABLE. */
  ranges?: boolean
  /** Set by `socketRoute`: the request is upgraded to a WebSocket. */
  socket?: ServedSocketOptions
  /** Error codes that the handler may raise, beside those that follow from the other fields. */
  errors: FailureCode[]
}

export interface RouteSpec<
  App,
  Body extends TSchema,
  Query extends TSchema,
  Params extends TSchema,
  Fields extends TSchema,
> extends Spec<App> {
  body?: Body
  /** A form with files (multipart/form-data), accepted beside the JSON of `body` if there is one. */
  upload?: UploadSpec<Fields>
  /** Another shape of the body, which the handler checks itself; for the documentation. */
  otherBody?: TSchema
  query?: Query
  params?: Params
  handle: (
    context: RequestContext<App, Static<Body>, Static<Query>, Static<Params>, Static<Fields>>,
  ) => Promise<unknown> | unknown
}

/**
 * A route whose handler takes this app. A server serves the routes whose app has no member that its own app lacks. Every route is a `Route<never>`,
 * which is what code takes that reads the description of routes and calls no handler.
 */
export interface Route<App = never> extends Spec<App> {
  body?: TSchema
  upload?: UploadSpec
  otherBody?: TSchema
  query?: TSchema
  params?: TSchema
  handle: (context: RequestContext<App, never, never, never, never>) => Promise<unknown> | unknown
}

/** Returns the function that declares routes whose handlers take this app. The other types of a handler come from the schemas of its route. */
export const routesOf =
  <App>() =>
  <Body extends TSchema, Query extends TSchema, Params extends TSchema, Fields extends TSchema>(
    spec: RouteSpec<App, Body, Query, Params, Fields>,
  ): Route<App> =>
    spec as unknown as Route<App>

export type Reply = PushReply | ContentAnswer | HttpAnswer | JsonText | object
