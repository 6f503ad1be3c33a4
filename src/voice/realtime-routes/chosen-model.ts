/** Which model answers a call, and which may listen in it. */
import type { App, Caller } from '#app'
import type { CallAgent } from '#core/call-agent'
import { requireMayUse } from '#core/calls'
import type { RealtimeModel, TranscriptionModel } from '#core/models'
import type { BuiltInTool } from '#core/turn'
import { fail } from '#platform/errors'
import { type CallModel, modelsOf } from './call-engine.ts'
import { reasons } from './phrases.ts'

interface Asking {
  app: App
  caller: Caller
}

/** Which model a call has: what answers in it, or, in a session of the type `transcription`, what writes down. Throws as those two do. */
export const requireCallModel = (
  asking: Asking,
  name: string | undefined,
  session: Record<string, unknown> = {},
): CallModel =>
  session['type'] === 'transcription'
    ? requireTranscriptionModel(asking, name ?? namedInSession(asking, session))
    : requireRealtimeModel(asking, name)

/** Not named: the default one. Throws MODEL_NOT_FOUND, MODEL_KIND_MISMATCH, MODEL_NOT_ALLOWED, and INVALID_REQUEST where there is none. */
function requireTranscriptionModel({ app, caller }: Asking, name: string | undefined): TranscriptionModel {
  const { models } = app
  const model =
    name === undefined
      ? (models.defaultTranscription ??
        fail('INVALID_REQUEST', { why: reasons.noTranscription }, { param: 'model' }))
      : (models.find(name) ?? fail('MODEL_NOT_FOUND', { model: name }, { param: 'model' }))
  if (model.kind !== 'transcription') {
    const { id, kind } = model
    return fail('MODEL_KIND_MISMATCH', { model: id, kind, needed: ['transcription'] }, { param: 'model' })
  }
  requireMayUse(caller, model)
  return model
}

/** `audio.input.transcription.model`, where it is one of ours: clients send those of their vendor. Its shape is checked with the session's. */
function namedInSession(asking: Asking, session: Record<string, unknown>): string | undefined {
  const member = (value: unknown, name: string): unknown =>
    typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
  const named = ['audio', 'input', 'transcription', 'model'].reduce(member, session as unknown)
  return typeof named === 'string' ? transcriptionModels(asking)(named) : undefined
}

/**
 * What answers in a call with this model: a realtime model, or a text model with those that listen and speak for it. Not named: the default one.
 * Throws MODEL_NOT_FOUND, MODEL_KIND_MISMATCH, MODEL_NOT_ALLOWED where the key may not use it or one that works for it, which would fail in the
 * middle of the call, and INVALID_REQUEST where none is named and there is no default.
 */
export function requireRealtimeModel({ app, caller }: Asking, name: string | undefined): RealtimeModel {
  const model = realtimeModel(app, name)
  for (const id of modelsOf(app, model)) requireMayUse(caller, { id })
  return model
}

/**
 * What answers in a call with an agent: the agent's own model, with those that listen and speak for it, or for a realtime model of the same text
 * model. Throws as `requireRealtimeModel`, and INVALID_REQUEST where another text model is named.
 */
export function requireAgentModel(
  asking: Asking,
  agent: Pick<CallAgent, 'model'>,
  name: string | undefined,
): RealtimeModel {
  const model = requireRealtimeModel(asking, name ?? agent.model.id)
  if (model.engine !== 'pipeline' || model.textModel !== agent.model.id)
    fail('INVALID_REQUEST', { why: reasons.modelOfAgent(agent.model.id) }, { param: 'model' })
  return model
}

function realtimeModel({ models }: App, name: string | undefined): RealtimeModel {
  if (name === undefined)
    return models.defaultRealtime ?? fail('INVALID_REQUEST', { why: reasons.noModel }, { param: 'model' })
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

/** `model` of a session, where it names one. Throws INVALID_REQUEST. */
export function modelOfSession({ model }: Record<string, unknown>): string | undefined {
  if (model == null) return undefined
  if (typeof model !== 'string' || model.length > 200)
    fail('INVALID_REQUEST', { why: reasons.modelName }, { param: 'session.model' })
  return model
}

/** Ids of transcription models that the caller may use; undefined for every other name. */
export const transcriptionModels =
  ({ app, caller }: Asking) =>
  (name: string): string | undefined => {
    const model = app.models.find(name)
    if (model?.kind !== 'transcription' || (caller.models && !caller.models.has(model.id))) return undefined
    return model.id
  }

/** Which tools that run here a call has: those of this configuration, where the model that answers takes tools. */
export function hostedTools({ app }: Asking, model: CallModel): (tool: BuiltInTool) => boolean {
  const text =
    model.kind === 'realtime' && model.engine === 'pipeline' ? app.models.find(model.textModel) : undefined
  const takesTools = text?.kind === 'text' && text.features.includes('tools')
  return (tool) => takesTools && app.tools.find(tool) !== undefined
}
