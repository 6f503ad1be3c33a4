import { requireModel } from '#core/calls'
import { type AnyModel, type AudioModel, canSpeak } from '#core/models'
import type { RequestContext } from '#platform/http'
import { typedList } from '#platform/lists'
import type { AudioRoutesApp } from './app.ts'
import type { VoicesQuery } from './schema.ts'

/**
 * The voices of the speech models that the caller may use, model by model; of one model where it is named. `voices` has each id once, in the place
 * where Open WebUI and other clients of Kokoro-FastAPI look for them.
 */
export function listVoices(
  context: Pick<RequestContext<AudioRoutesApp, unknown, VoicesQuery>, 'app' | 'caller' | 'query'>,
) {
  const { app, caller, query } = context
  const usable = (model: AnyModel): model is AudioModel =>
    model.kind === 'audio' && caller.models?.has(model.id) !== false
  const models =
    query.model === undefined
      ? app.models.list().filter(usable)
      : [requireModel(context, query.model, 'audio')]
  const rows = models
    .filter(canSpeak)
    .flatMap((model) => model.audio.voices.map((voice, index) => ({ model, voice, index })))
  const names = new Map(rows.map(({ voice }) => [voice.id, voice.name]))
  return {
    ...typedList.answer({ rows, hasMore: false }, ({ model, voice, index }) => ({
      id: voice.id,
      object: 'voice',
      model: model.id,
      name: voice.name,
      gender: voice.gender ?? null,
      languages: voice.languages,
      default: index === 0,
    })),
    voices: [...names].map(([id, name]) => ({ id, name })),
  }
}
