/** A part of a cloud's address: `/rest/v1`, `/auth/v1`, `/functions/v1`, `/files` and others, each with its own protocol. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { WebSocket } from 'ws'
import type { LiveCloud } from '#cloud/clouds'
import type { Failure, Language } from '#platform/errors'
import type { Upload, UploadSpec } from '#platform/http'
import type { SpoolFile } from '#platform/spool'
import type { AppCallApp } from '../app.ts'

/** The caller: by the key alone, as a signed-in app user, or with the service key. */
export type AppCaller =
  /** A caller without an accepted key or session, on a path that needs none; `refusal` is what another path would have answered. */
  | { role: 'none'; refusal: Failure }
  | { role: 'anon' }
  | { role: 'authenticated'; userId: string; sessionId: string; claims: Readonly<Record<string, unknown>> }
  | { role: 'service' }

/** One request of an app to its cloud; key and session are checked. */
export interface AppCall {
  readonly app: AppCallApp
  readonly cloud: LiveCloud
  readonly caller: AppCaller
  readonly method: string
  /** The path below the area, percent-encoded as it came: `/token` of `/auth/v1/token`. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  /** The request itself, for areas that pass it on as a stream. */
  readonly message: IncomingMessage
  /** The request asks for a WebSocket, which the reply may accept (`socket`). */
  readonly isUpgrade: boolean
  readonly clientAddress: string
  /** The address of the cloud for the app, without a slash at the end; with `/_cloud/<ref>` where the request came so. */
  readonly baseUrl: string
  readonly language: Language
  readonly requestId: string
  /** Aborts when the caller has gone. */
  readonly gone: AbortSignal
  /**
   * Returns the body, or undefined where there is none. Throws INVALID_JSON, BODY_TOO_LARGE, TOO_MUCH_IN_FLIGHT, and INVALID_REQUEST for a type that
   * is no JSON and for a compressed body.
   */
  json(maxBytes: number): Promise<unknown>
  /** Throws BODY_TOO_LARGE, TOO_MUCH_IN_FLIGHT, and INVALID_REQUEST for a compressed body. */
  bytes(maxBytes: number): Promise<Buffer>
  /**
   * Receives a body that may take as long as an upload, on the disk until the request ends. Throws BODY_TOO_LARGE, SPOOL_FULL and INVALID_REQUEST.
   */
  file(maxBytes: number): Promise<SpoolFile>
  /** Receives a form, its files as `file` does. Throws what `file` throws. */
  form(spec: UploadSpec): Promise<Upload>
  /** Returns the body as it comes, with the time of an upload. */
  stream(): IncomingMessage
}

export interface AppReply {
  status: number
  headers?: Readonly<Record<string, string>> | readonly (readonly [name: string, value: string])[]
  /** Bytes and streams are sent as they are, everything else as JSON; undefined for no body. */
  body?: unknown | Buffer | Readable
  /** Accepts the requested WebSocket; then nothing else of the reply is sent. */
  socket?: { messageBytes: number; run: (line: WebSocket) => void }
}

export interface AppArea {
  /** Such as `/rest/v1`; the area answers for this path and those below it. */
  readonly prefix: string
  /** The name of the area in metrics and logs: `rest` of `app.rest`. */
  readonly name: string
  /** Whether `caller` may be `none` on a path: links of mails, signing keys, functions that everybody may call. Where absent, it never may. */
  isOpen?(request: { method: string; path: string }): boolean
  /** A key or a session in `Authorization` needs no `apikey` beside it. */
  readonly isBearerEnough?: boolean
  /** Codes of errors in the code of an app: its developer reads of them, and this service has not failed. */
  readonly faultsOfApps?: ReadonlySet<string>
  /**
   * Answers a request. Throws `Failure`s, which are sent as `failureReply` returns them. `CloudHandler` adds preflights, and headers that let pages read
   * the answer.
   */
  handle(call: AppCall): Promise<AppReply>
  /** Returns a refusal in the format that clients of this area read. */
  failureReply(failure: Failure, call: Pick<AppCall, 'headers' | 'language' | 'requestId'>): AppReply
}
