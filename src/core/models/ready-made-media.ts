/**
 * Models of pictures, sound, videos, transcripts and vectors that a vendor's key switches on. Only models are listed whose price and name stand in a
 * public document, which is named beside them; a vendor without such models is still a provider, for which an entry of the file needs nothing but a
 * model.
 */
import { readyMadeAudio } from './kinds/audio/ready-made.ts'
import { readyMadeEmbeddings } from './kinds/embedding/ready-made.ts'
import { readyMadeImages } from './kinds/image/ready-made.ts'
import type { AnyModel } from './kinds/kinds.ts'
import { readyMadeTranscriptions } from './kinds/transcription/ready-made.ts'
import { readyMadeVideos } from './kinds/video/ready-made.ts'
import { type ModelNamer, modelNamer } from './model-namer.ts'
import { type Dialect, defaultTimeouts, type ProviderConfig } from './provider-settings.ts'
import type { VendorKeys } from './settings.ts'
import { knownVendors, type VendorId } from './vendors.ts'

/** Dialects that these vendors speak beside the wires of text, at the same address. */
export const mediaDialects: { [Vendor in VendorId]?: Dialect[] } = {
  openai: ['images', 'speech', 'modalities', 'transcriptions', 'realtime'],
  groq: ['transcriptions'],
  openrouter: ['openrouter', 'modalities'],
}

interface MediaVendor {
  key: VendorId
  /** The provider of the vendor's media; absent: the provider of its texts serves them. */
  provider?: { id: string; baseUrl: string; dialects: Dialect[] }
  /** The models of each kind, in the order in which they are listed. */
  models: ((named: ModelNamer) => AnyModel[])[]
}

const vendors: MediaVendor[] = [
  {
    key: 'openai',
    models: [
      readyMadeImages.openai,
      readyMadeAudio.openai,
      readyMadeEmbeddings.openai,
      readyMadeTranscriptions.openai,
    ],
  },
  {
    key: 'openrouter',
    models: [
      readyMadeImages.openrouter,
      readyMadeAudio.openrouter,
      readyMadeVideos.openrouter,
      readyMadeTranscriptions.openrouter,
    ],
  },
  {
    key: 'gemini',
    // Google's own wire, beside the one that is like OpenAI's.
    provider: {
      id: 'gemini-media',
      baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
      dialects: ['gemini'],
    },
    models: [readyMadeImages.gemini, readyMadeAudio.gemini, readyMadeVideos.gemini],
  },
  {
    key: 'elevenlabs',
    provider: { id: 'elevenlabs', baseUrl: 'https://api.elevenlabs.io/v1', dialects: ['elevenlabs'] },
    models: [readyMadeAudio.elevenlabs, readyMadeTranscriptions.elevenlabs],
  },
  { key: 'groq', models: [readyMadeTranscriptions.groq] },
  {
    key: 'deepgram',
    provider: { id: 'deepgram', baseUrl: 'https://api.deepgram.com/v1', dialects: ['deepgram'] },
    models: [readyMadeTranscriptions.deepgram],
  },
  {
    key: 'fal',
    provider: { id: 'fal', baseUrl: 'https://queue.fal.run', dialects: ['fal'] },
    models: [readyMadeImages.fal, readyMadeVideos.fal],
  },
]

/** Providers and models of media for the vendor keys found. */
export function readyMadeMedia(keys: VendorKeys): { providers: ProviderConfig[]; models: AnyModel[] } {
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
      const named = modelNamer({ ...vendor, name: knownVendors[vendor.key].name })
      return vendor.models.flatMap((modelsOf) => modelsOf(named))
    }),
  }
}
