/** The engine that answers in a call, the models that the call pays for, and the most that one of its turns may cost. */
import type { RealtimeModel, TranscriptionModel } from '#core/models'
import {
  type CallEngine,
  type CallView,
  type EngineName,
  modelsOfPipeline,
  Pipeline,
  Relay,
  relayModelOf,
  Transcription,
  type Transport,
  upstreamsOf,
  worstCaseOfCaptionTurn,
  worstCaseOfPipelineTurn,
  worstCaseOfRelayTurn,
} from '#voice/realtime'
import type { CallApp } from './app.ts'
import type { BegunCall, CallContext } from './begin.ts'

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

export type ModelAndSettings = Pick<BegunCall, 'model' | 'agent' | 'settings'>

/** The most that a turn may cost, in micro-credits. */
export function worstCaseOfTurn(
  { app: { turns }, caller }: CallContext,
  { model, agent, settings }: ModelAndSettings,
): bigint {
  if (model.kind === 'transcription') return worstCaseOfCaptionTurn(turns, { caller, model })
  if (model.engine !== 'pipeline') return worstCaseOfRelayTurn(turns, model, settings)
  return worstCaseOfPipelineTurn(turns, caller, { models: modelsOfPipeline(turns, model), agent, settings })
}

export function openEngine(context: CallContext, { model, agent }: BegunCall, view: CallView): CallEngine {
  const { app, caller, language, trace } = context
  const { config, turns } = app
  const live = { caller, endpoint: '/v1/realtime', trace }
  if (model.kind === 'transcription') return new Transcription(turns, view, { live, model, language })
  if (model.engine !== 'pipeline')
    return new Relay(turns, view, {
      upstreams: upstreamsOf(turns, model),
      model: relayModelOf(turns, model),
      language,
    })
  return new Pipeline(turns, view, {
    ...{ model, agent, language, settings: config.voice.pipeline },
    live,
  })
}
