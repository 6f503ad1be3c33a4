import type { UpstreamFault } from '#providers/spec'

/** One call to one deployment, as it stands on the receipt. Times in milliseconds from the start of the request. */
export interface Attempt {
  model: string
  deployment: string
  provider: string
  started_ms: number
  first_part_ms?: number
  ended_ms?: number
  outcome: 'running' | 'answered' | UpstreamFault
  status?: number
  detail?: string
  upstream_id?: string
  /** True when it went on where an answer was cut (`resume: restart`). */
  resumed?: true
}
