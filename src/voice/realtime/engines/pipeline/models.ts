import assert from 'node:assert/strict'
import type { AudioModel, Model, PipelineModel, TranscriptionModel } from '#core/models'
import type { PaidApp } from '#core/paid'

/** The models that work together in a call. */
export interface PipelineModels {
  text: Model
  transcription: TranscriptionModel
  speech: AudioModel
}

/** The models of a pipeline. Asserts that they exist and are of their kinds, as the catalogue has checked. */
export function modelsOfPipeline({ models }: Pick<PaidApp, 'models'>, model: PipelineModel): PipelineModels {
  const text = models.find(model.textModel)
  const transcription = models.find(model.transcriptionModel)
  const speech = models.find(model.speechModel)
  assert(text?.kind === 'text' && transcription?.kind === 'transcription' && speech?.kind === 'audio')
  return { text, transcription, speech }
}
