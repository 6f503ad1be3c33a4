import type { AnyModel } from '#core/models'
import type { Caller } from '#platform/auth'
import { type FailureCode, fail } from '#platform/errors'
import type { CallsApp } from './app.ts'

/** Error codes of every route whose caller names a model. */
export const modelFailures: FailureCode[] = ['MODEL_NOT_FOUND', 'MODEL_NOT_ALLOWED', 'MODEL_KIND_MISMATCH']

/** The model of this kind that the caller names. Throws MODEL_NOT_FOUND, MODEL_NOT_ALLOWED or MODEL_KIND_MISMATCH. */
export function requireModel<Kind extends AnyModel['kind']>(
  { app, caller }: { app: Pick<CallsApp, 'models'>; caller: Caller },
  id: string,
  kind: Kind,
): Extract<AnyModel, { kind: Kind }> {
  const model = app.models.find(id)
  if (!model) return fail('MODEL_NOT_FOUND', { model: id }, { param: 'model' })
  requireMayUse(caller, model)
  return isOfKind(model, kind)
    ? model
    : fail('MODEL_KIND_MISMATCH', { model: model.id, kind: model.kind, needed: [kind] }, { param: 'model' })
}

/** Throws MODEL_NOT_ALLOWED. */
export function requireMayUse({ models }: Caller, { id }: Pick<AnyModel, 'id'>): void {
  if (models && !models.has(id)) fail('MODEL_NOT_ALLOWED', { model: id }, { param: 'model' })
}

const isOfKind = <Kind extends AnyModel['kind']>(
  model: AnyModel,
  kind: Kind,
): model is Extract<AnyModel, { kind: Kind }> => model.kind === kind
