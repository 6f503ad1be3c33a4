/** What follows from the model of a call: its engine, the models that the call pays for, and what its time and one of its turns may cost. */
import type { CallAgent } from '#core/call-agent'
import { type Cost, type RealtimeModel, realtimeModels, type TranscriptionModel } from '#core/models'
import {
  type CallSettings,
  type EngineName,
  modelsOfPipeline,
  type Transport,
  worstCaseOfCaptionTurn,
  worstCaseOfPipelineTurn,
  worstCaseOfRelayTurn,
} from '#voice/realtime'
import type { CallApp, CallContext } from './app.ts'

/** The model of a call. A transcription model only transcribes, and answers nothing. */
export type CallModel = RealtimeModel | TranscriptionModel

/** The engine of a call. Over a WebSocket there is no media server to pass a call to, so a passthrough model is relayed there. */
export function engineOf(model: CallModel, transport: Transport['kind']): EngineName {
  if (model.kind === 'transcription') return 'transcription'
  return model.engine === 'passthrough' && transport === 'websocket' ? 'relay' : model.engine
}

/** The ids of a model and of all models that work for it, which the call pays for. */
export function modelsOf(app: Pick<CallApp, 'models'>, model: CallModel): string[] {
  if (model.kind === 'transcription' || model.engine !== 'pipeline') return [model.id]
  const { text, transcription, speech } = modelsOfPipeline(app, model)
  return [...new Set([model.id, text.id, transcription.id, speech.id])]
}

/** The cost of so many seconds of a call; undefined where its time costs nothing. */
export function timeCostOf(
  { config }: Pick<CallApp, 'config'>,
  model: CallModel,
): ((seconds: number) => Cost) | undefined {
  // A transcription costs only for the speech.
  if (model.kind === 'transcription' || model.pricing.perMinute === 0) return undefined
  return (seconds) => realtimeModels.cost(model, config.defaults, { seconds })
}

/** A call's model, the agent that answers with it, and the settings of its session. */
export interface ModelAndSettings {
  model: CallModel
  /** Undefined where the model answers without an agent. */
  agent: CallAgent | undefined
  settings: CallSettings
}

/** The most that a turn may cost, in micro-credits. */
export function worstCaseOfTurn(
  { app: { turns }, caller }: CallContext,
  { model, agent, settings }: ModelAndSettings,
): bigint {
  if (model.kind === 'transcription') return worstCaseOfCaptionTurn(turns, { caller, model })
  if (model.engine !== 'pipeline') return worstCaseOfRelayTurn(turns, model, settings)
  return worstCaseOfPipelineTurn(turns, caller, { models: modelsOfPipeline(turns, model), agent, settings })
}
