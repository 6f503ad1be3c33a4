import { phrases } from './phrases.ts'
import { redactedProxy } from './redacted.ts'
import type { ProxyConfig } from './settings.ts'

/** `away`: no connection to it · `login`, `forbidden`: it refused us, until someone changes a setting · `unreachable`: it cannot get there. */
export type ProxyReason = keyof typeof phrases

/** A proxy through which nothing came about; nothing was sent to whom it leads. The message holds no password. */
export class ProxyFailed extends Error {
  override name = 'ProxyFailed'
  readonly reason: ProxyReason
  readonly code = 'ERR_PROXY'

  constructor(reason: ProxyReason, proxy: ProxyConfig, detail: string, cause?: unknown) {
    super(phrases[reason](redactedProxy(proxy), detail), { cause })
    this.reason = reason
  }

  /** True where asking again cannot help. */
  get isPermanent(): boolean {
    return this.reason === 'login' || this.reason === 'forbidden'
  }
}
