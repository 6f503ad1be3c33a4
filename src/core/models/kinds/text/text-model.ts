import type { NamedModel } from '../../models.ts'

/** A text model. */
export interface Model extends NamedModel {
  kind: 'text'
  /** A text answer that was cut may be gone on with by another deployment (`resume: restart`). */
  resumes?: boolean
  contextLength: number
  maxOutputTokens: number
  features: Feature[]
  /** What the operator says of links for this model alone, above his word for its providers. */
  takesLinks?: boolean
  /** Empty: the model takes no reasoning effort. */
  supportedEfforts: string[]
  pricing: Pricing
}

/** `web_search` and `web_fetch`: the upstream runs its vendor's own, asked for by the vendor's own wire. */
export type Feature = 'tools' | 'json_schema' | 'reasoning' | 'web_search' | 'web_fetch'

/** USD per million tokens, as the operator wrote them. Free is an explicit zero. */
export interface Pricing {
  inputPerMillion: number
  outputPerMillion: number
  /** Defaults to `inputPerMillion`. */
  cachedInputPerMillion: number
  /** Tokens written to the upstream's prompt cache; defaults to `inputPerMillion`. */
  cacheWritePerMillion: number
  /** The same, kept for an hour; where writing has its own price, 1.6 × that (as the vendors that know it price it), else `inputPerMillion`. */
  cacheWriteHourPerMillion?: number
  /** Audio and video tokens of the prompt; defaults to `inputPerMillion`. */
  mediaInputPerMillion: number
  /** USD of one search that the upstream runs itself. */
  webSearchPerUse?: number
}
