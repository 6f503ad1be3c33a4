/**
 * Models of pictures, sound, videos, transcripts and vectors that a vendor's key switches on. Only models are listed whose price and name stand in a
 * public document, which is named beside them; a vendor without such models is still a provider, for which an entry of the file needs nothing but a
 * model.
 */
import type { AudioModel } from './kinds/audio/audio-model.ts'
import type { EmbeddingModel } from './kinds/embedding/embedding-model.ts'
import type { ImageModel } from './kinds/image/image-model.ts'
import type { TranscriptionModel } from './kinds/transcription/transcription-model.ts'
import type { VideoModel } from './kinds/video/video-model.ts'
import { type ModelNamer, modelNamer } from './model-namer.ts'
import type { Dialect, ProviderConfig } from './provider-settings.ts'
import { defaultTimeouts } from './provider-settings.ts'
import { readyMadeAudio } from './ready-made-audio.ts'
import { readyMadeEmbeddings } from './ready-made-embeddings.ts'
import { readyMadeImages } from './ready-made-images.ts'
import { readyMadeTranscriptions } from './ready-made-transcriptions.ts'
import { readyMadeVideos } from './ready-made-videos.ts'
import type { VendorKeys } from './settings.ts'

export type MediaModel = AudioModel | EmbeddingModel | ImageModel | TranscriptionModel | VideoModel

/** Dialects that these vendors speak beside the wires of text, at the same address. */
export const mediaDialects: { [Vendor in keyof VendorKeys]?: Dialect[] } = {
  openai: ['images', 'speech', 'modalities', 'transcriptions', 'realtime'],
  groq: ['transcriptions'],
  openrouter: ['openrouter', 'modalities'],
}

interface MediaVendor {
  key: 'deepgram' | 'elevenlabs' | 'fal' | 'gemini' | 'groq' | 'openai' | 'openrouter'
  name: string
  /** The provider of the vendor's media; absent: the provider of its texts serves them. */
  provider?: { id: string; baseUrl: string; dialects: Dialect[] }
  images?: (named: ModelNamer) => ImageModel[]
  audio?: (named: ModelNamer) => AudioModel[]
  embeddings?: (named: ModelNamer) => EmbeddingModel[]
  videos?: (named: ModelNamer) => VideoModel[]
  transcriptions?: (named: ModelNamer) => TranscriptionModel[]
}

const vendors: MediaVendor[] = [
  {
    key: 'openai',
    name: 'OpenAI',
    images: readyMadeImages.openai,
    audio: readyMadeAudio.openai,
    embeddings: readyMadeEmbeddings.openai,
    transcriptions: readyMadeTranscriptions.openai,
  },
  {
    key: 'openrouter',
    name: 'OpenRouter',
    images: readyMadeImages.openrouter,
    audio: readyMadeAudio.openrouter,
    videos: readyMadeVideos.openrouter,
    transcriptions: readyMadeTranscriptions.openrouter,
  },
  {
    key: 'gemini',
    name: 'Google',
    // Google's own wire, beside the one that is like OpenAI's.
    provider: {
      id: 'gemini-media',
      baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
      dialects: ['gemini'],
    },
    images: readyMadeImages.gemini,
    audio: readyMadeAudio.gemini,
    videos: readyMadeVideos.gemini,
  },
  {
    key: 'elevenlabs',
    name: 'ElevenLabs',
    provider: { id: 'elevenlabs', baseUrl: 'https://api.elevenlabs.io/v1', dialects: ['elevenlabs'] },
    audio: readyMadeAudio.elevenlabs,
    transcriptions: readyMadeTranscriptions.elevenlabs,
  },
  { key: 'groq', name: 'Groq', transcriptions: readyMadeTranscriptions.groq },
  {
    key: 'deepgram',
    name: 'Deepgram',
    provider: { id: 'deepgram', baseUrl: 'https://api.deepgram.com/v1', dialects: ['deepgram'] },
    transcriptions: readyMadeTranscriptions.deepgram,
  },
  {
    key: 'fal',
    name: 'fal',
    provider: { id: 'fal', baseUrl: 'https://queue.fal.run', dialects: ['fal'] },
    images: readyMadeImages.fal,
    videos: readyMadeVideos.fal,
  },
]

/** Providers and models of media for the vendor keys found. */
export function readyMadeMedia(keys: VendorKeys): { providers: ProviderConfig[]; models: MediaModel[] } {
  const found = vendors.flatMap((vendor) => {
    const apiKey = keys[vendor.key]
    return apiKey === undefined ? [] : [{ vendor, apiKey }]
  })
  return {
    providers: found.flatMap(({ vendor: { provider }, apiKey }) =>
      provider
        ? [{ ...provider, apiKey, timeouts: defaultTimeouts, onDisconnect: 'drain' as const, headers: {} }]
        : [],
    ),
    models: found.flatMap(({ vendor }) => {
      const named = modelNamer(vendor)
      return [
        ...(vendor.images?.(named) ?? []),
        ...(vendor.audio?.(named) ?? []),
        ...(vendor.embeddings?.(named) ?? []),
        ...(vendor.videos?.(named) ?? []),
        ...(vendor.transcriptions?.(named) ?? []),
      ]
    }),
  }
}
