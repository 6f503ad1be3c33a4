import { warmModels } from '#voice/live-speech'
import { modelsOfPipeline } from '#voice/realtime'
import type { CallContext } from './app.ts'
import type { ModelAndSettings } from './call-model.ts'

/**
 * Makes ready what the first turn of a call would wait for, while the caller still connects and greets. A relay opens its upstream with the call anyway.
 * Never rejects.
 */
export async function warmCall(app: Pick<CallContext['app'], 'turns'>, call: WarmedCall): Promise<void> {
  // Nobody waits for this: a rejection would end the process, with every call in it, and the turn itself meets what is wrong.
  await warm(app, call).catch(() => undefined)
}

type WarmedCall = Pick<ModelAndSettings, 'model' | 'settings'>

async function warm(
  { turns }: Pick<CallContext['app'], 'turns'>,
  { model, settings }: WarmedCall,
): Promise<void> {
  if (model.kind === 'transcription') return await warmModels(turns, { transcription: model })
  if (model.engine !== 'pipeline') return
  const { transcription, ...answering } = modelsOfPipeline(turns, model)
  const named = settings.transcription.model && turns.models.find(settings.transcription.model)
  await warmModels(turns, {
    transcription: named && named.kind === 'transcription' ? named : transcription,
    answering,
  })
}
