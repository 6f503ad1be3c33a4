/** What a model can do, held against what is asked of it; refused before anything is held. */

import type { Model } from '#engine/models'
import type { Modality, Wire } from '#engine/turn'
import { fail } from '#platform/errors'

/** Throws INPUT_MODALITY_NOT_SUPPORTED. */
export function requireModality(model: Model, modality: Modality, param: string): void {
  if (model.inputModalities.includes(modality)) return
  fail(
    'INPUT_MODALITY_NOT_SUPPORTED',
    { model: model.id, modality, supported: model.inputModalities },
    { param },
  )
}

/** Throws FEATURE_NOT_SUPPORTED; `where` names the field of each feature that the turn needs. */
export function requireFeatures(
  model: Model,
  where: { tools?: string | undefined; json_schema?: string | undefined },
): void {
  for (const feature of ['tools', 'json_schema'] as const) {
    const param = where[feature]
    if (param !== undefined && !model.features.includes(feature))
      fail('FEATURE_NOT_SUPPORTED', { model: model.id, feature }, { param })
  }
}

/** The one effort of its two spellings. Contract section 4: a conflict or an unsupported effort is refused before credits are reserved. */
export function effortOf(
  model: Model,
  flat: string | null | undefined,
  nested: string | null | undefined,
): string | undefined {
  if (flat != null && nested != null && flat !== nested)
    fail('REASONING_EFFORT_CONFLICT', {}, { param: 'reasoning.effort' })
  const effort = nested ?? flat ?? undefined
  if (effort !== undefined && !model.supportedEfforts.includes(effort)) {
    const param = nested == null ? 'reasoning_effort' : 'reasoning.effort'
    fail('REASONING_NOT_SUPPORTED', { model: model.id, effort, supported: model.supportedEfforts }, { param })
  }
  return effort
}

/**
 * True where an upstream of the model speaks the caller's own wire and runs its vendor's own search or fetch: then the tool goes
 * out as it was written. Everywhere else it runs here (`Turn.hosted`).
 */
export const runsUpstream = (model: Model, wire: Wire, tool: 'web_search' | 'web_fetch'): boolean =>
  model.features.includes(tool) && model.deployments.some(({ wires }) => wires?.includes(wire))
