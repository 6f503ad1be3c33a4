import type { AnyModel, Catalogue, ModelOf } from '#core/models'
import type { Caller } from '#platform/auth'
import { type FailureCode, fail } from '#platform/errors'
import type { CallsApp } from './app.ts'

declare module '#platform/http' {
  interface RouteDeclarations {
    /** The models that answer on the route where its caller names them: their cards name the route. */
    models?: ServedModels
  }
}

/** Whether a model of a catalogue answers on a route. */
export type ServedModels = (model: AnyModel, catalogue: Pick<Catalogue, 'realtimeOf'>) => boolean

/** The models of a kind, or those of them that can do what the route needs. */
export const modelsOfKind =
  <Kind extends AnyModel['kind']>(
    kind: Kind,
    can: (model: ModelOf<Kind>) => boolean = () => true,
  ): ServedModels =>
  (model) =>
    isOfKind(model, kind) && can(model)

/** Error codes of every route whose caller names a model. */
export const modelFailures: FailureCode[] = ['MODEL_NOT_FOUND', 'MODEL_NOT_ALLOWED', 'MODEL_KIND_MISMATCH']

/** The model of this kind that the caller names. Throws MODEL_NOT_FOUND, MODEL_NOT_ALLOWED or MODEL_KIND_MISMATCH. */
export function requireModel<Kind extends AnyModel['kind']>(
  { app, caller }: { app: Pick<CallsApp, 'models'>; caller: Caller },
  id: string,
  kind: Kind,
): ModelOf<Kind> {
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

const isOfKind = <Kind extends AnyModel['kind']>(model: AnyModel, kind: Kind): model is ModelOf<Kind> =>
  model.kind === kind
