import type { NamedModel } from '../../models.ts'

/** A text model. */
export interface Model extends NamedModel {
  kind: 'text'
  /** Another deployment may continue a text answer that was cut (`resume: restart`). */
  resumes?: boolean
  contextLength: number
  maxOutputTokens: number
  features: Feature[]
  /** Whether this model takes links; the operator's setting for the model takes precedence over that of its providers. */
  takesLinks?: boolean
  /** Empty: the model takes no reasoning effort. */
  supportedEfforts: string[]
  pricing: Pricing
}

/** `web_search` and `web_fetch`: the upstream runs its vendor's own tools, which are requested by the vendor's own wire. */
export type Feature = 'tools' | 'json_schema' | 'reasoning' | 'web_search' | 'web_fetch'

/** USD per million tokens, as the operator wrote them. Free is an explicit zero. */
export interface Pricing {
  inputPerMillion: number
  outputPerMillion: number
  /** Defaults to `inputPerMillion`. */
  cachedInputPerMillion: number
  /** Tokens written to the upstream's prompt cache; defaults to `inputPerMillion`. */
  cacheWritePerMillion: number
  /**
   * Tokens written to the cache for an hour; where writing has its own price, defaults to 1.6 × that (as the vendors that know it price it), else
   * `inputPerMillion`.
   */
  cacheWriteHourPerMillion?: number
  /** Audio and video tokens of the prompt; defaults to `inputPerMillion`. */
  mediaInputPerMillion: number
  /** USD of one search that the upstream runs itself. */
  webSearchPerUse?: number
}
