/** The kinds whose orders the sandbox fills: its models of each, and what fills their orders. */
import type { AnyModel, ModelOf, OrderProviders } from '#core/models'
import { sandboxAudio } from './audio.ts'
import {
  audioModel,
  embeddingModel,
  imageModel,
  realtimeModel,
  textModels,
  transcriptionModel,
  vectorModel,
  videoModel,
} from './catalogue.ts'
import { sandboxEmbeddings } from './embedding.ts'
import { sandboxImages } from './image/image.ts'
import { sandboxTranscription } from './transcribe/transcribe.ts'
import { sandboxVideos } from './video/video.ts'

type Simulators = {
  readonly [Kind in keyof OrderProviders]: {
    models: readonly ModelOf<Kind>[]
    open: () => OrderProviders[Kind]
  }
}

/** The compiler asks for a line of every kind that takes orders; the models are listed in this order. */
const simulators: Simulators = {
  image: { models: [imageModel, vectorModel], open: sandboxImages },
  audio: { models: [audioModel], open: sandboxAudio },
  transcription: { models: [transcriptionModel], open: sandboxTranscription },
  embedding: { models: [embeddingModel], open: sandboxEmbeddings },
  video: { models: [videoModel], open: () => sandboxVideos() },
}

/**
 * The sandbox's models, with the names that callers see: `sandbox/fast` (the default), `sandbox/omni`, `sandbox/reasoner`, `sandbox/image`,
 * `sandbox/vector`, `sandbox/speech`, `sandbox/transcribe`, `sandbox/embedding`, `sandbox/video`, `sandbox/realtime`.
 */
export const sandboxModels: AnyModel[] = [
  ...textModels,
  ...Object.values(simulators).flatMap(({ models }): readonly AnyModel[] => models),
  realtimeModel,
]

/** What fills the orders of the sandbox's models, by kind. */
export const sandboxOrders = (): OrderProviders =>
  Object.fromEntries(
    Object.entries(simulators).map(([kind, { open }]) => [kind, open()]),
  ) as unknown as OrderProviders
