import { phrases } from './phrases.ts'
import { redactedProxy } from './redacted.ts'
import type { ProxyConfig } from './settings.ts'

/**
 * Why a proxy failed. `away`: no connection to it · `login`, `forbidden`: it refused the request, until someone changes a setting · `unreachable`: it
 * cannot reach the target.
 */
export type ProxyReason = keyof typeof phrases

/** Thrown when the proxy could not establish the connection; nothing was sent to the target. The message contains no password. */
export class ProxyFailed extends Error {
  override name = 'ProxyFailed'
  readonly reason: ProxyReason
  readonly code = 'ERR_PROXY'

  constructor(reason: ProxyReason, proxy: ProxyConfig, detail: string, cause?: unknown) {
    super(phrases[reason](redactedProxy(proxy), detail), { cause })
    this.reason = reason
  }

  /** True if a retry cannot help. */
  get isPermanent(): boolean {
    return this.reason === 'login' || this.reason === 'forbidden'
  }
}
