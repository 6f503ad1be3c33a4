/** Checks that a model can do what the request needs; what it cannot do is refused before any credits are held. */

import type { Model } from '#core/models'
import type { Modality, Wire } from '#core/turn'
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

/**
 * Throws FEATURE_NOT_SUPPORTED if the model lacks a needed feature; `fields` holds the request field that needs each feature, and undefined for a
 * feature that is not needed.
 */
export function requireFeatures(
  model: Model,
  fields: { tools?: string | undefined; json_schema?: string | undefined },
): void {
  for (const feature of ['tools', 'json_schema'] as const) {
    const param = fields[feature]
    if (param !== undefined && !model.features.includes(feature))
      fail('FEATURE_NOT_SUPPORTED', { model: model.id, feature }, { param })
  }
}

/**
 * The reasoning effort, which has two spellings, `reasoning_effort` and `reasoning.effort`. Contract section 4: a conflict or an
 * unsupported effort is refused before credits are held.
 */
export function effortOf(
  model: Model,
  flat: string | null | undefined,
  nested: string | null | undefined,
): string | undefined {
  if (flat != null && nested != null && flat !== nested)
    fail('REASONING_EFFORT_CONFLICT', {}, { param: 'reasoning.effort' })
  const effort = nested ?? flat ?? undefined
  requireEffort(model, effort, nested == null ? 'reasoning_effort' : 'reasoning.effort')
  return effort
}

/** Throws REASONING_NOT_SUPPORTED. */
export function requireEffort(model: Model, effort: string | undefined, param: string): void {
  if (effort === undefined || model.supportedEfforts.includes(effort)) return
  fail('REASONING_NOT_SUPPORTED', { model: model.id, effort, supported: model.supportedEfforts }, { param })
}

/**
 * True if an upstream of the model speaks the caller's wire and runs its vendor's search or fetch: then the tool is sent as the
 * caller wrote it. Otherwise the platform runs the tool (`Turn.hosted`).
 */
export const runsUpstream = (model: Model, wire: Wire, tool: 'web_search' | 'web_fetch'): boolean =>
  model.features.includes(tool) && model.deployments.some(({ wires }) => wires?.includes(wire))
