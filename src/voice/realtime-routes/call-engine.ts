/** What answers in a call: its engine, the models it pays for, and what a turn of it may cost. */
import type { App } from '#app'
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
  worstOfRelay,
  worstOfTranscription,
  worstOfTurn,
} from '#voice/realtime'
import type { Asking, BegunCall } from './begin.ts'

/** A transcription model writes down what is said and answers nothing. */
export type CallModel = RealtimeModel | TranscriptionModel

/** Over a WebSocket there is no media server to pass a call to: such a model is relayed there. */
export function engineOf(model: CallModel, transport: Transport['kind']): EngineName {
  if (model.kind === 'transcription') return 'transcription'
  return model.engine === 'passthrough' && transport === 'websocket' ? 'relay' : model.engine
}

/** Ids of a model and of all that work for it: what a call pays for. */
export function modelsOf(app: App, model: CallModel): string[] {
  if (model.kind === 'transcription' || model.engine !== 'pipeline') return [model.id]
  const { text, transcription, speech } = modelsOfPipeline(app, model)
  return [...new Set([model.id, text.id, transcription.id, speech.id])]
}

export type Answering = Pick<BegunCall, 'model' | 'agent' | 'settings'>

/** What a turn may cost at most, in micro-credits. */
export function worstOf({ app, caller }: Asking, { model, agent, settings }: Answering): bigint {
  if (model.kind === 'transcription') return worstOfTranscription(app, { caller, model })
  if (model.engine !== 'pipeline') return worstOfRelay(app, model, settings)
  return worstOfTurn(app, caller, { models: modelsOfPipeline(app, model), agent, settings })
}

export function openEngine(context: Asking, { model, agent }: BegunCall, view: CallView): CallEngine {
  const { app, caller, language, trace } = context
  const live = { caller, endpoint: '/v1/realtime', trace }
  if (model.kind === 'transcription') return new Transcription(app, view, { live, model, language })
  if (model.engine !== 'pipeline')
    return new Relay(app, view, {
      upstreams: upstreamsOf(app, model),
      model: relayModelOf(app, model),
      language,
    })
  return new Pipeline(app, view, {
    ...{ model, agent, language, settings: app.config.voice.pipeline },
    live,
  })
}
