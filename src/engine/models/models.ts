import './failures.ts'
import type { Modality, Wire } from '#engine/turn'
import type { ImagePricing, ImageSettings } from './image.ts'

/** A model of any kind, as the catalogue lists it; `kind` tells which. */
export type AnyModel = Model | ImageModel | EmbeddingModel

/** A model as callers know it; the upstreams behind it are its deployments. */
export interface NamedModel {
  /** `<vendor>/<model_name>`. */
  id: string
  /** Other names by which callers may ask for it; answers and receipts bear the id. */
  aliases?: string[]
  displayName: string
  description: string
  ownedBy: string
  /** Unix seconds, for the lists of the OpenAI and Anthropic clients. */
  created: number
  /** Sandbox models are simulators and every list says so. */
  sandbox: boolean
  deployments: Deployment[]
  /** Ids of models of the same kind tried when no deployment of this one can answer. */
  fallbacks: string[]
  inputModalities: Modality[]
}

/** A text model: the one that most of the house speaks of. */
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

/** A model that draws pictures, and edits those it is given where `image.maxReferences` allows any. */
export interface ImageModel extends NamedModel {
  kind: 'image'
  image: ImageSettings
  pricing: ImagePricing
}

/** A model that turns texts into vectors, so that texts of like meaning are near each other. */
export interface EmbeddingModel extends NamedModel {
  kind: 'embedding'
  /** Of one text, in tokens. */
  maxInputTokens: number
  /** Texts of one call. */
  maxBatch: number
  /** Asked for by name; absent: as the upstream has it. */
  dimensions?: number
  encoding: 'base64' | 'float'
  pricing: EmbeddingPricing
}

/** USD per million tokens. */
export interface EmbeddingPricing {
  inputPerMillion: number
}

export type Feature = 'tools' | 'json_schema' | 'reasoning' | 'web_search' | 'web_fetch'

export interface Deployment {
  /** `<provider>/<upstream model>`, unique within its model; stands on receipts. */
  id: string
  provider: string
  /** The wires that its provider speaks; undefined for the sandbox, which answers every turn. */
  wires?: readonly Wire[]
  /** Whether its provider takes a reasoning budget as a number; undefined: as its wire does. */
  takesReasoningBudget?: boolean
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
  /** USD of one search that the upstream runs itself. */
  webSearchPerUse?: number
}

export { buildCatalogue, type Catalogue } from './catalogue.ts'
export { type Discovered, discover } from './discover.ts'
export {
  aspectRatiosOf,
  type ImagePricing,
  type ImageSettings,
  imagePrice,
  isSameSize,
  sizeName,
  sizeOf,
} from './image.ts'
