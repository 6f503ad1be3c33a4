/** Names a ready-made model by what its vendor calls it. */
import type { NamedModel } from './models.ts'

/** A model without what depends on its kind. */
export type BaseModel = Omit<NamedModel, 'inputModalities'>

export type ModelNamer = (model: string, displayName: string, shutdownDate?: string) => BaseModel

/** The day on which the vendors' documents were read, used as `created` of these models, in Unix seconds. */
const listedAt = Date.UTC(2026, 10, 24) / 1_000

/** The namer of a vendor's models. `provider` serves the vendor's media; where it is absent, the provider of the vendor's texts does. */
export const modelNamer =
  ({ key, name, provider }: { key: string; name: string; provider?: { id: string } }): ModelNamer =>
  (model, displayName, shutdownDate) => ({
    id: `${key}/${model}`,
    displayName,
    description: `${displayName} by way of ${name}.`,
    ownedBy: key,
    created: listedAt,
    sandbox: false,
    deployments: [{ id: `${key}/${model}`, provider: provider?.id ?? key, model, weight: 1, priority: 0 }],
    fallbacks: [],
    ...(shutdownDate !== undefined && { shutdownDate }),
  })
