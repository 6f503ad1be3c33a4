import type { App, Caller } from '#app'
import { type CallSettings, freshSettings, sessionFields, updateSession } from '#voice/realtime'
import type { CallModel } from './call-engine.ts'
import { hostedTools, transcriptionModels } from './chosen-model.ts'

/**
 * The settings with which a call begins, and what of its sessions has no effect: each says more than the one before it. Throws INVALID_REQUEST with
 * `param` below `session`.
 */
export function firstSession(
  asking: { app: App; caller: Caller },
  model: CallModel,
  ...sessions: readonly Record<string, unknown>[]
): { settings: CallSettings; ignored: string[]; fields: Record<string, unknown> } {
  const rules = {
    transcriptionModel: transcriptionModels(asking),
    hasHosted: hostedTools(asking, model),
    isVoiceFixed: false,
  }
  let settings = freshSettings(model.kind, model.id)
  const ignored: string[] = []
  // The name of the model was resolved: an alias is no other model.
  for (const { model: _, ...told } of sessions) {
    const updated = updateSession(settings, told, rules)
    settings = updated.settings
    ignored.push(...updated.ignored)
  }
  return { settings, ignored, fields: sessionFields(settings) }
}
