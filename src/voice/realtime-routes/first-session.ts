import { type CallSettings, freshSettings, sessionFields, updateSession } from '#voice/realtime'
import type { CallModel } from './call-model.ts'
import { type CallerContext, hostedToolCheck, transcriptionModelResolver } from './chosen-model.ts'

/**
 * The settings with which a call begins, and the session fields without effect. Later sessions override earlier ones. Throws INVALID_REQUEST with
 * `param` below `session`.
 */
export function firstSession(
  context: CallerContext,
  model: CallModel,
  ...sessions: readonly Record<string, unknown>[]
): { settings: CallSettings; ignored: string[]; fields: Record<string, unknown> } {
  const rules = {
    transcriptionModel: transcriptionModelResolver(context),
    hasHosted: hostedToolCheck(context, model),
    isVoiceFixed: false,
  }
  let settings = freshSettings(model.kind, model.id)
  const ignored: string[] = []
  // The model is already chosen; the name here may be an alias of it.
  for (const { model: _, ...told } of sessions) {
    const updated = updateSession(settings, told, rules)
    settings = updated.settings
    ignored.push(...updated.ignored)
  }
  return { settings, ignored, fields: sessionFields(settings) }
}
