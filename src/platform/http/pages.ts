/** Answers to requests that match no route: pages and the files that they load. They are no part of the API. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Language } from '#platform/errors'

/** A GET or HEAD request of a host of the routes, as whoever answers for pages sees it. */
export interface PageRequest {
  headers: IncomingHttpHeaders
  language: Language
  setHeader(name: string, value: string): void
  /** Sends the whole answer; for HEAD only its headers. */
  answer(status: number, contentType: string, body: string | Uint8Array | null): void
}

/** Answers the request, or returns false, and it is answered as a path without a route. `path` has no query and is not decoded. */
export type Pages = (request: PageRequest, path: string) => Promise<boolean>
