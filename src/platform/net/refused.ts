import type { Localized } from '#platform/errors'
import { phrases } from './phrases.ts'

/** Why a request was not made, or its answer not accepted. */
export type FetchRefusalReason = keyof typeof phrases

/**
 * Thrown when a fetch is refused or fails. `reason` may be shown to the caller who named the address, since it reveals nothing about inner
 * networks. The message is for logs and contains the host, never path or query.
 */
export class FetchRefused extends Error {
  override name = 'FetchRefused'
  readonly reason: FetchRefusalReason
  readonly host: string

  constructor(reason: FetchRefusalReason, host: string, cause?: unknown) {
    super(`${reason} (${host})`, { cause })
    this.reason = reason
    this.host = host
  }

  get why(): Localized {
    return phrases[this.reason]
  }
}
