/** Chooses the model that answers a call, and checks those that may transcribe in it. */
import type { CallAgent } from '#core/call-agent'
import { requireMayUse, type ServedModels } from '#core/calls'
import type { RealtimeModel, TranscriptionModel } from '#core/models'
import type { BuiltInTool } from '#core/turn'
import type { Caller } from '#platform/auth'
import { fail } from '#platform/errors'
import type { CallApp } from './app.ts'
import { type CallModel, modelsOf } from './call-model.ts'
import { reasons } from './phrases.ts'

/** The caller who names the model, and the part of the app that has the models and their tools. */
export interface CallerContext {
  app: Pick<CallApp, 'models' | 'turns'>
  caller: Caller
}

/** The models that may be named for a call: those that answer, and those that transcribe. */
export const callModels: ServedModels = (model, catalogue) =>
  model.kind === 'transcription' || catalogue.realtimeOf(model) !== undefined

/**
 * The model of a call: the one that answers, or, in a session of the type `transcription`, the one that transcribes. Throws as the two functions for
 * these do.
 */
export const requireCallModel = (
  context: CallerContext,
  name: string | undefined,
  session: Record<string, unknown> = {},
): CallModel =>
  session['type'] === 'transcription'
    ? requireTranscriptionModel(context, name ?? transcriptionModelInSession(context, session))
    : requireRealtimeModel(context, name)

/**
 * The transcription model; the default one where none is named. Throws MODEL_NOT_FOUND, MODEL_KIND_MISMATCH, MODEL_NOT_ALLOWED, and INVALID_REQUEST
 * where there is no default.
 */
function requireTranscriptionModel(
  { app, caller }: CallerContext,
  name: string | undefined,
): TranscriptionModel {
  const { models } = app
  const model =
    name === undefined
      ? (models.defaults.transcription ??
        fail('INVALID_REQUEST', { why: reasons.noTranscription }, { param: 'model' }))
      : (models.find(name) ?? fail('MODEL_NOT_FOUND', { model: name }, { param: 'model' }))
  if (model.kind !== 'transcription') {
    const { id, kind } = model
    return fail('MODEL_KIND_MISMATCH', { model: id, kind, needed: ['transcription'] }, { param: 'model' })
  }
  requireMayUse(caller, model)
  return model
}

/**
 * The model in `audio.input.transcription.model`, where this server has it: clients send models of their vendor. The shape of the field is checked
 * with the session's.
 */
function transcriptionModelInSession(
  context: CallerContext,
  session: Record<string, unknown>,
): string | undefined {
  const member = (value: unknown, name: string): unknown =>
    typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
  const named = ['audio', 'input', 'transcription', 'model'].reduce(member, session as unknown)
  return typeof named === 'string' ? transcriptionModelResolver(context)(named) : undefined
}

/**
 * The model that answers in a call: a realtime model, or a text model with those that listen and speak for it; the default one where none is named.
 * Throws MODEL_NOT_FOUND, MODEL_KIND_MISMATCH, MODEL_NOT_ALLOWED where the key may not use it or a model that works for it, which would fail in the
 * middle of the call, and INVALID_REQUEST where none is named and there is no default.
 */
export function requireRealtimeModel(
  { app, caller }: CallerContext,
  name: string | undefined,
): RealtimeModel {
  const model = realtimeModel(app, name)
  for (const id of modelsOf(app, model)) requireMayUse(caller, { id })
  return model
}

/**
 * The model that answers in a call with an agent: the agent's own text model, with those that listen and speak for it, or a realtime model with the
 * same text model. Throws as `requireRealtimeModel`, and INVALID_REQUEST where another text model is named.
 */
export function requireAgentModel(
  context: CallerContext,
  agent: Pick<CallAgent, 'model'>,
  name: string | undefined,
): RealtimeModel {
  const model = requireRealtimeModel(context, name ?? agent.model.id)
  if (model.engine !== 'pipeline' || model.textModel !== agent.model.id)
    fail('INVALID_REQUEST', { why: reasons.modelOfAgent(agent.model.id) }, { param: 'model' })
  return model
}

function realtimeModel({ models }: Pick<CallApp, 'models'>, name: string | undefined): RealtimeModel {
  if (name === undefined)
    return models.defaults.realtime ?? fail('INVALID_REQUEST', { why: reasons.noModel }, { param: 'model' })
  const model = models.find(name) ?? fail('MODEL_NOT_FOUND', { model: name }, { param: 'model' })
  return (
    models.realtimeOf(model) ??
    fail(
      'MODEL_KIND_MISMATCH',
      { model: model.id, kind: model.kind, needed: ['realtime', 'text'] },
      { param: 'model' },
    )
  )
}

/** The `model` of a session; undefined where it names none. Throws INVALID_REQUEST. */
export function modelOfSession({ model }: Record<string, unknown>): string | undefined {
  if (model == null) return undefined
  if (typeof model !== 'string' || model.length > 200)
    fail('INVALID_REQUEST', { why: reasons.modelName }, { param: 'session.model' })
  return model
}

/** Resolves names to ids of transcription models that the caller may use; undefined for every other name. */
export const transcriptionModelResolver =
  ({ app, caller }: CallerContext) =>
  (name: string): string | undefined => {
    const model = app.models.find(name)
    if (model?.kind !== 'transcription' || (caller.models && !caller.models.has(model.id))) return undefined
    return model.id
  }

/** Whether a call has a tool that runs on this server: one of this configuration, where the model that answers takes tools. */
export function hostedToolCheck({ app }: CallerContext, model: CallModel): (tool: BuiltInTool) => boolean {
  const text =
    model.kind === 'realtime' && model.engine === 'pipeline' ? app.models.find(model.textModel) : undefined
  const takesTools = text?.kind === 'text' && text.features.includes('tools')
  return (tool) => takesTools && app.turns.tools.find(tool) !== undefined
}
