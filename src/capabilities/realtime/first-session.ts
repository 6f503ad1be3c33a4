import type { App, Caller } from '#app'
import type { RealtimeModel } from '#engine/models'
import { type CallSettings, freshSettings, sessionFields, updateSession } from '#engine/realtime'
import { hostedTools, transcriptionModels } from './chosen-model.ts'

/** The settings with which a call begins, and what of the session has no effect. Throws INVALID_REQUEST with `param` below `session`. */
export function firstSession(
  asking: { app: App; caller: Caller },
  model: RealtimeModel,
  session: Record<string, unknown>,
): { settings: CallSettings; ignored: string[]; fields: Record<string, unknown> } {
  // Its name was resolved: an alias is no other model.
  const { model: _, ...told } = session
  const { settings, ignored } = updateSession(freshSettings('realtime', model.id), told, {
    transcriptionModel: transcriptionModels(asking),
    hasHosted: hostedTools(asking, model),
    isVoiceFixed: false,
  })
  return { settings, ignored, fields: sessionFields(settings) }
}
