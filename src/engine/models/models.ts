import './failures.ts'
import type { Modality, Wire } from '#engine/inference'

/** A model as callers know it; the upstreams behind it are its deployments. */
export interface Model {
  /** `<vendor>/<model_name>`. */
  id: string
  kind: 'text' | 'image' | 'audio' | 'video' | 'embedding'
  displayName: string
  description: string
  ownedBy: string
  /** Unix seconds, for the lists of the OpenAI and Anthropic clients. */
  created: number
  /** Sandbox models are simulators and every list says so. */
  sandbox: boolean
  deployments: Deployment[]
  /** Ids of models tried when no deployment of this one can answer. */
  fallbacks: string[]
  /** A text answer that was cut may be gone on with by another deployment (`resume: restart`). */
  resumes?: boolean
  contextLength: number
  maxOutputTokens: number
  inputModalities: Modality[]
  features: Feature[]
  /** Empty: the model takes no reasoning effort. */
  supportedEfforts: string[]
  pricing: Pricing
}

export type Feature = 'tools' | 'json_schema' | 'reasoning'

export interface Deployment {
  /** `<provider>/<upstream model>`, unique within its model; stands on receipts. */
  id: string
  provider: string
  /** The wires that its provider speaks; undefined for the sandbox, which answers every turn. */
  wires?: readonly Wire[]
  /** The upstream's own name of the model. */
  model: string
  /** Share among deployments of equal priority. */
  weight: number
  /** Lower is tried first. */
  priority: number
}

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
}

export { buildCatalogue, type Catalogue } from './catalogue.ts'
export { type Discovered, discover } from './discover.ts'
