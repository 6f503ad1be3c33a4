/** What answers in a call: its engine, the models it pays for, and what a turn of it may cost. */
import type { App } from '#app'
import type { RealtimeModel } from '#engine/models'
import { type CallEngine, type CallView, modelsOfPipeline, Pipeline, worstOfTurn } from '#engine/realtime'
import type { Asking, BegunCall } from './begin.ts'

/** Ids of a model and of all that work for it: what a call pays for. */
export function modelsOf(app: App, model: RealtimeModel): string[] {
  const { text, transcription, speech } = modelsOfPipeline(app, model)
  return [...new Set([model.id, text.id, transcription.id, speech.id])]
}

export type Answering = Pick<BegunCall, 'model' | 'agent' | 'settings'>

/** What a turn may cost at most, in micro-credits. */
export const worstOf = ({ app, caller }: Asking, { model, agent, settings }: Answering): bigint =>
  worstOfTurn(app, caller, { models: modelsOfPipeline(app, model), agent, settings })

export const openEngine = (context: Asking, { model, agent }: BegunCall, view: CallView): CallEngine => {
  const { app, caller, language, trace } = context
  return new Pipeline(app, view, {
    ...{ model, agent, language, settings: app.config.voice.pipeline },
    live: { caller, endpoint: '/v1/realtime', trace },
  })
}
