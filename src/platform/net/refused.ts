import type { Localized } from '#platform/errors'
import { phrases } from './phrases.ts'

/** Why a request was not made, or its answer not taken. */
export type Reason = keyof typeof phrases

/**
 * A fetch that came to nothing. `reason` may be shown to the caller who named the address: it tells nothing that a public host could not
 * be told. The message is for logs and holds the host, never path or query.
 */
export class FetchRefused extends Error {
  override name = 'FetchRefused'
  readonly reason: Reason
  readonly host: string

  constructor(reason: Reason, host: string, cause?: unknown) {
    super(`${reason} (${host})`, { cause })
    this.reason = reason
    this.host = host
  }

  get why(): Localized {
    return phrases[this.reason]
  }
}
