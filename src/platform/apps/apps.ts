/**
 * The second listener: it serves content of strangers, on an origin of its own where no credential of the platform is valid. The host of a request
 * decides which handler answers it (docs/decisions/platform/two-listeners.md).
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Deadline } from '#platform/clock'
import './phrases.ts'

export type { AppsApp } from './app.ts'
export { sandboxPolicy } from './guarded-headers.ts'
export { refusingZone } from './kept-out.ts'
export { appsSeries } from './metrics.ts'
export { type Apps, openApps, sharedApps } from './open-apps.ts'
export { type SharedParent, sharedParent } from './shared-parent.ts'
export { acceptSocket, isUpgrade } from './sockets.ts'
export { type AddressConfig, labelHost, labelUrl } from './urls.ts'
export { AppsZone } from './zone.ts'

/** A request to the second listener, its host already checked. */
export interface AppsRequest {
  message: IncomingMessage
  response: ServerResponse
  /** The host of the URL that the visitor sees: lower case, without port and trailing dot. */
  host: string
  /** `<prefix>/<ref>` if the request came by a path form; it is removed from `message.url`. Empty if the request names the host itself. */
  pathPrefix: string
  /** The visitor's address; forwarded addresses count only from a trusted proxy. */
  clientAddress: string
  /** Whether the visitor came by HTTPS; a trusted proxy in front is believed about this. */
  secure: boolean
  /**
   * The deadline by which the whole request, body included, must have arrived. A handler that takes large bodies cancels it; then the limit of
   * uploads applies.
   */
  timeLimit?: Deadline | undefined
}

/** A second way to hosts: `<prefix>/<ref>/…` at the machine's own name, for programs whose resolver does not know names under `localhost`. */
export interface PathForm {
  /** `/_` and small letters. */
  readonly prefix: string
  /** The host that a ref names, whether it exists or not. */
  hostOf(ref: string): string
}

/** Answers for some hosts of the second listener. */
export interface HostHandler extends AsyncDisposable {
  /** The name in metrics and logs. */
  readonly name: string
  /**
   * True if strangers' code states the answers: they leave as data for programs, never as a page (`guardedHeaders`), and the requests reach the
   * handler without credentials of the platform.
   */
  readonly isStrangers?: boolean
  /** The path form of its hosts, which share one origin there: it finds only handlers of strangers' answers, which send no pages. */
  readonly pathForm?: PathForm | undefined
  /** Whether this handler answers for the host. Called for every request, so it decides from memory. */
  serves(host: string): boolean
  /** Whether a certificate may be obtained for this host, that is, whether the host belongs to something that exists. Decides from memory. */
  mayHaveCertificate(host: string): boolean
  /** Answers the request; it never throws. The request's `message.url` begins with a slash. */
  handle(request: AppsRequest): void
}
