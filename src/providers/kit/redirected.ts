import { UpstreamError } from '#core/spec'
import type { ReplyHeaders } from './exchange.ts'

const statuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * An answer that leads elsewhere. A redirect of the wires' own requests means that the configured address is not that of the API; only a caller that
 * expects one follows it.
 */
export class RedirectError extends UpstreamError {
  readonly location: string

  constructor(status: number, location: string) {
    super('unavailable', { status, inside: `HTTP ${status}: a redirect` })
    this.location = location
  }
}

/** The redirect of an answer; undefined where the answer is none, or does not say where to. */
export function redirectOf(status: number, headers: ReplyHeaders): RedirectError | undefined {
  const location = [headers['location']].flat()[0]
  return statuses.has(status) && location !== undefined ? new RedirectError(status, location) : undefined
}
