/** A part of a cloud's address: `/rest/v1`, `/auth/v1`, `/functions/v1`, `/files` and others, each in its own words. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { App } from '#app'
import type { LiveCloud } from '#engine/clouds'
import type { Failure, Language } from '#platform/errors'

/** Who asks: by the key alone, as a signed-in app user, or with the service key. */
export type AppCaller =
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
  readonly clientAddress: string
  /** Where the app calls its cloud, without a slash at the end; with `/_cloud/<ref>` where it came so. */
  readonly baseUrl: string
  readonly language: Language
  readonly requestId: string
  /** Aborts when the caller has gone. */
  readonly gone: AbortSignal
  /** Undefined where there is no body. Throws INVALID_JSON and PAYLOAD_TOO_LARGE. */
  json(maxBytes: number): Promise<unknown>
  bytes(maxBytes: number): Promise<Buffer>
}

export interface AppReply {
  status: number
  headers?: Readonly<Record<string, string>> | readonly (readonly [name: string, value: string])[]
  /** Bytes and streams as they are; undefined for none; everything else as JSON. */
  body?: unknown | Buffer | Readable
}

export interface AppArea {
  /** `/rest/v1`; it answers for this path and those below it. */
  readonly prefix: string
  /** Its answers may be read by pages of any origin; methods and headers that preflights name. Absent: those of all areas. */
  handle(call: AppCall): Promise<AppReply>
  /** A refusal in the words that clients of this area read. */
  refused(failure: Failure, call: Pick<AppCall, 'headers' | 'language' | 'requestId'>): AppReply
}
