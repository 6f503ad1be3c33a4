/** A part of a cloud's address: `/rest/v1`, `/auth/v1`, `/functions/v1`, `/files` and others, each in its own words. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { WebSocket } from 'ws'
import type { App } from '#app'
import type { LiveCloud } from '#cloud/clouds'
import type { Failure, Language } from '#platform/errors'
import type { Upload, UploadSpec } from '#platform/http'
import type { SpoolFile } from '#platform/spool'

/** Who asks: by the key alone, as a signed-in app user, or with the service key. */
export type AppCaller =
  /** Neither a key nor a session that is accepted, on a path that needs none; `refusal` is what another path would have answered. */
  | { role: 'none'; refusal: Failure }
  | { role: 'anon' }
  | { role: 'authenticated'; userId: string; sessionId: string; claims: Readonly<Record<string, unknown>> }
  | { role: 'service' }

/** One request of an app to its cloud; key and session are checked. */
export interface AppCall {
  readonly app: App
  readonly cloud: LiveCloud
  readonly caller: AppCaller
  readonly method: string
  /** Below the area, percent-encoded as it came: `/token` of `/auth/v1/token`. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  /** For areas that pass the request on as a stream. */
  readonly message: IncomingMessage
  /** The request asks for a WebSocket, which the reply may accept (`socket`). */
  readonly isUpgrade: boolean
  readonly clientAddress: string
  /** Where the app calls its cloud, without a slash at the end; with `/_cloud/<ref>` where it came so. */
  readonly baseUrl: string
  readonly language: Language
  readonly requestId: string
  /** Aborts when the caller has gone. */
  readonly gone: AbortSignal
  /**
   * Undefined where there is no body. Throws INVALID_JSON, BODY_TOO_LARGE, TOO_MUCH_IN_FLIGHT, and INVALID_REQUEST for a type that is no
   * JSON and for a compressed body.
   */
  json(maxBytes: number): Promise<unknown>
  /** Throws BODY_TOO_LARGE, TOO_MUCH_IN_FLIGHT, and INVALID_REQUEST for a compressed body. */
  bytes(maxBytes: number): Promise<Buffer>
  /** Bytes that may take as long as an upload, on the disk until the request ends. Throws BODY_TOO_LARGE, SPOOL_FULL and INVALID_REQUEST. */
  file(maxBytes: number): Promise<SpoolFile>
  /** A form with files, its files as above. Throws the same. */
  form(spec: UploadSpec): Promise<Upload>
  /** The body as it comes, with the time of an upload. */
  stream(): IncomingMessage
}

export interface AppReply {
  status: number
  headers?: Readonly<Record<string, string>> | readonly (readonly [name: string, value: string])[]
  /** Bytes and streams as they are; undefined for none; everything else as JSON. */
  body?: unknown | Buffer | Readable
  /** Accepts the WebSocket that was asked for; then nothing else of the reply leaves. */
  socket?: { messageBytes: number; run: (line: WebSocket) => void }
}

export interface AppArea {
  /** `/rest/v1`; it answers for this path and those below it. */
  readonly prefix: string
  /** Of the operation in metrics and logs: `rest` of `app.rest`. */
  readonly name: string
  /** Whether `caller` may be `none` there: links of mails, signing keys, functions that everybody may call. Absent: nowhere. */
  isOpen?(asked: { method: string; path: string }): boolean
  /** A key or a session in `Authorization` needs no `apikey` beside it. */
  readonly isBearerEnough?: boolean
  /** Codes of what the code of an app did wrong: its developer reads of it, and this service has not failed. */
  readonly faultsOfApps?: ReadonlySet<string>
  /** Throws `Failure`s, which leave as `refused` words them. Preflights, and headers that let pages read the answer, are the frame's. */
  handle(call: AppCall): Promise<AppReply>
  /** A refusal in the words that clients of this area read. */
  refused(failure: Failure, call: Pick<AppCall, 'headers' | 'language' | 'requestId'>): AppReply
}
