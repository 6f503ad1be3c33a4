import { requireMayUse, requireModel } from '#core/calls'
import type { AnyModel } from '#core/models'
import { fail } from '#platform/errors'
import type { RequestContext } from '#platform/http'
import type { StudioApp } from './app.ts'

/** The model of this medium that the body names, or that of its preset. Throws as `requireModel` does. */
export function modelOf<Medium extends 'image' | 'audio'>(
  context: RequestContext<
    Pick<StudioApp, 'models'>,
    { model?: string; preset?: 'fast' | 'balanced' | 'quality' }
  >,
  medium: Medium,
): Extract<AnyModel, { kind: Medium }> {
  const { app, caller, body } = context
  if (body.model !== undefined) return requireModel(context, body.model, medium)
  const { preset = 'balanced' } = body
  const model = app.models.studio[medium]?.[preset]
  if (!model) return fail('MODEL_NOT_FOUND', { model: `${medium}: ${preset}` }, { param: 'preset' })
  requireMayUse(caller, model)
  return model as Extract<AnyModel, { kind: Medium }>
}
