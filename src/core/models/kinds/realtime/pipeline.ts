/** The models that work together in a call: those that an entry of the file names, else the default ones of their kinds. */
import assert from 'node:assert/strict'
import { phrases, refuseConfig } from '../../phrases.ts'
import { type AudioModel, canSpeak } from '../audio/audio-model.ts'
import { type DefaultsByKind, idsOf, type KindedModel, type KnownModels } from '../known-models.ts'
import type { RealtimeModel } from './realtime-model.ts'
import type { RealtimeEntry } from './settings.ts'

const isRealtime = (model: KindedModel | undefined): model is RealtimeModel => model?.kind === 'realtime'

const isSpeaker = (model: KindedModel | undefined): model is AudioModel =>
  model?.kind === 'audio' && canSpeak(model as AudioModel)

/** Replaces the names of the entry's models by their ids, and checks that each model is of the required kind. */
export function completePipeline(entry: RealtimeEntry, { byName, defaults }: KnownModels): void {
  if (entry.engine !== 'pipeline') return
  const model = byName.get(entry.id)
  assert(isRealtime(model) && model.engine === 'pipeline')
  const idOf = (kind: 'text' | 'transcription', name: string | undefined): string => {
    const found = name === undefined ? defaults[kind] : byName.get(name)
    if (found?.kind === kind) return found.id
    const known = idsOf(byName, (one) => one.kind === kind)
    return refuseConfig(phrases.noPreset(`${entry.where}.${kind}_model`, name ?? '', kind, known))
  }
  const speech = entry.speechModel === undefined ? defaults['audio'] : byName.get(entry.speechModel)
  model.textModel = idOf('text', entry.textModel)
  model.transcriptionModel = idOf('transcription', entry.transcriptionModel)
  model.speechModel = isSpeaker(speech)
    ? speech.id
    : refuseConfig(
        phrases.noPreset(
          `${entry.where}.speech_model`,
          entry.speechModel ?? '',
          'audio',
          idsOf(byName, isSpeaker),
        ),
      )
  const parts = [model.textModel, model.transcriptionModel, model.speechModel]
  model.sandbox = parts.some((id) => byName.get(id)!.sandbox)
}

/**
 * The model that answers in a call that names this model: a realtime model itself, or a text model together with the default models that listen and
 * speak. Undefined for every other kind, and where nothing listens or speaks.
 */
export function realtimeModelOf(
  model: KindedModel,
  { transcription, audio: speech }: DefaultsByKind,
): RealtimeModel | undefined {
  if (isRealtime(model)) return model
  if (model.kind !== 'text' || !transcription || !speech) return undefined
  const { id, displayName, description, ownedBy, created, sandbox } = model
  return {
    ...{ id, displayName, description, ownedBy, created },
    kind: 'realtime',
    sandbox: sandbox || transcription.sandbox || speech.sandbox,
    deployments: [],
    fallbacks: [],
    inputModalities: ['text', 'audio'],
    engine: 'pipeline',
    textModel: id,
    transcriptionModel: transcription.id,
    speechModel: speech.id,
    pricing: { perMinute: 0 },
  }
}
