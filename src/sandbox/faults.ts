import { UpstreamError, type UpstreamFault } from '#core/spec'
import type { Directives } from './directives.ts'
import type { Pacer } from './pace.ts'

/** The details that a real upstream would send with each fault; `executed: false` only where the upstream certainly did no work. */
const faultOptions: Partial<
  Record<NonNullable<Directives['fault']>, { status?: number; executed?: boolean }>
> = {
  connect: { executed: false },
  rate_limited: { status: 429, executed: false },
  overloaded: { status: 529, executed: false },
  unavailable: { status: 503 },
  invalid_request: { status: 400, executed: false },
  context_overflow: { status: 400, executed: false },
  content_refused: { status: 400, executed: false },
  authentication: { status: 401, executed: false },
  not_found: { status: 404, executed: false },
}

/** Throws the requested fault. */
export async function raise(
  fault: NonNullable<Directives['fault']>,
  directives: Directives,
  pacer: Pacer,
): Promise<never> {
  if (fault === 'stall') return await pacer.stall()
  const wait = directives.retryAfterMs === undefined ? {} : { retryAfterMs: directives.retryAfterMs }
  throw faultOf(fault, { ...(pacer.sent > 0 && { executed: true }), ...wait })
}

/** The requested fault, as an upstream would report it. */
export function faultOf(
  fault: UpstreamFault,
  more: { executed?: boolean; retryAfterMs?: number } = {},
): UpstreamError {
  const detail = `The sandbox was ordered to fail: ${fault}.`
  return new UpstreamError(fault, { ...faultOptions[fault], ...more, detail })
}
