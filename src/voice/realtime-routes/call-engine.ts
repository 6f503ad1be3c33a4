import {
  type CallEngine,
  type CallView,
  Pipeline,
  Relay,
  relayModelOf,
  Transcription,
  upstreamsOf,
} from '#voice/realtime'
import type { CallContext } from './app.ts'
import type { BegunCall } from './begin.ts'

/** Opens the engine that answers in a call. */
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
