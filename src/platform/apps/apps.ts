/**
 * The second listener: it serves what strangers have written, on an origin of its own where no credential of the platform is valid.
 * Who answers is decided by the host of a request (docs/decisions/0069).
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Deadline } from '#platform/clock'
import './phrases.ts'

export { keptOut } from './kept-out.ts'
export { appsSeries } from './metrics.ts'
export { type Apps, openApps, sharedApps } from './open-apps.ts'
export { acceptSocket, isUpgrade } from './sockets.ts'
export { cloudHost, cloudUrl, siteHost, siteUrl } from './urls.ts'
export { AppsZone } from './zone.ts'

/** A request to the second listener, its host already checked. */
export interface AppsRequest {
  message: IncomingMessage
  response: ServerResponse
  /** Of the URL that the visitor sees: lower case, without port and trailing dot. */
  host: string
  /** `/_cloud/<ref>` where the address has it in place of a host of its own; `message.url` stands without it. Else empty. */
  pathPrefix: string
  /** That of the visitor; forwarded addresses count only from a trusted proxy. */
  clientAddress: string
  /** The visitor came by HTTPS, as far as a trusted proxy says. */
  secure: boolean
  /** Until when a request with a body must have come whole. Whoever takes large bodies cancels it; then that of uploads applies. */
  timeLimit?: Deadline | undefined
}

/** Answers for some hosts of the second listener. */
export interface HostHandler extends AsyncDisposable {
  /** For metrics and logs: `sites`, `clouds`. */
  readonly name: string
  /**
   * What it answers was stated by strangers' code: it leaves as data for programs, never as a page (`cloudAnswer`), and what it is asked
   * comes without credentials of the platform.
   */
  readonly isStrangers?: boolean
  /** Whether this host is answered here; from memory, at every request. */
  serves(host: string): boolean
  /** Whether a certificate may be obtained for this host: it belongs to something that exists. From memory. */
  mayHaveCertificate(host: string): boolean
  /** Answers the request; it never throws. Its `message.url` begins with a slash. */
  handle(request: AppsRequest): void
}
