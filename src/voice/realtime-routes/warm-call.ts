import { warmModels } from '#voice/live-speech'
import { modelsOfPipeline } from '#voice/realtime'
import type { CallContext } from './app.ts'
import type { ModelAndSettings } from './call-model.ts'

/**
 * Makes ready what the first turn of a call would wait for, while the caller still connects and greets. A relay opens its upstream with the call anyway.
 * Never rejects.
 */
export async function warmCall(
  { turns }: CallContext['app'],
  { model, settings }: Pick<ModelAndSettings, 'model' | 'settings'>,
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
