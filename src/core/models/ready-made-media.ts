/**
 * Models of pictures, sound, videos, transcripts and vectors that a vendor's key switches on. Only models are listed whose price and name stand in a
 * public document, which is named beside them; a vendor without such models is still a provider, for which an entry of the file needs nothing but a
 * model.
 */
import type { AudioModel, AudioPricing, AudioSettings, Voice } from './kinds/audio/audio-model.ts'
import type { EmbeddingModel } from './kinds/embedding/embedding-model.ts'
import { openAiBatch } from './kinds/embedding/settings.ts'
import type {
  ExpectedImageTokens,
  ImageModel,
  ImagePricing,
  ImageSettings,
  PicturePricing,
} from './kinds/image/image-model.ts'
import type { TranscriptionModel } from './kinds/transcription/transcription-model.ts'
import type { VideoModel } from './kinds/video/video-model.ts'
import type { NamedModel } from './models.ts'
import type { Dialect, ProviderConfig } from './provider-settings.ts'
import { defaultTimeouts } from './provider-settings.ts'
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
  models: ((named: ModelNamer) => MediaModel)[]
  videos?: (named: ModelNamer) => VideoModel[]
  transcriptions?: (named: ModelNamer) => TranscriptionModel[]
}

/** Names a model by what its vendor calls it. */
type ModelNamer = (
  model: string,
  displayName: string,
  shutdownDate?: string,
) => Omit<NamedModel, 'inputModalities'>

/** The day on which the documents below were read, used as `created` of these models, in Unix seconds. */
const listedAt = Date.UTC(2026, 10, 24) / 1_000

const voices = (names: string, languages: string[] = []): Voice[] =>
  names.split(' ').map((id) => ({ id, name: id, languages }))

/** The voices that clients of OpenAI list (azure.github.io/PyRIT, OpenAIChatAudioConfig); the older models have the first six. */
const openAiVoices = 'alloy echo fable onyx nova shimmer ash ballad coral sage verse marin cedar'
const olderVoices = 'alloy echo fable onyx nova shimmer'
/** The voices of Gemini (openrouter.ai/google/gemini-3.8-flash-tts/llms.txt). */
const geminiVoices =
  'Kore Puck Zephyr Charon Fenrir Leda Orus Aoede Callirrhoe Autonoe Enceladus Iapetus Umbriel Algieba Despina Erinome Algenib ' +
  'Rasalgethi Laomedeia Achernar Alnilam Schedar Gacrux Pulcherrima Achird Zubenelgenubi Vindemiatrix Sadachbia Sadaltager Sulafat'

const noPrice: AudioPricing = {
  perMillionCharacters: 0,
  perMinute: 0,
  inputPerMillion: 0,
  outputPerMillion: 0,
}

function audioModel(
  named: ReturnType<ModelNamer>,
  pricing: Partial<AudioPricing>,
  audio: Pick<AudioSettings, 'voices' | 'formats' | 'maxCharacters'> & Partial<AudioSettings>,
): AudioModel {
  const settings: AudioSettings = {
    tasks: ['speech'],
    takesOtherVoices: false,
    rate: 24_000,
    takesInstructions: false,
    isVerbatim: false,
    maxTurns: 40,
    maxVoices: 2,
    ...audio,
  }
  const inputModalities: AudioModel['inputModalities'] = settings.tasks.includes('answer')
    ? ['text', 'audio']
    : ['text']
  return {
    ...named,
    kind: 'audio',
    inputModalities,
    audio: settings,
    pricing: { ...noPrice, ...pricing },
  }
}

const imageModel = (
  named: ReturnType<ModelNamer>,
  pricing: ImagePricing,
  image: Pick<ImageSettings, 'sizes'> & Partial<ImageSettings>,
): ImageModel => ({
  ...named,
  kind: 'image',
  inputModalities: (image.maxReferences ?? 0) > 0 ? ['text', 'image'] : ['text'],
  image: {
    qualities: [],
    formats: [],
    backgrounds: [],
    maxCount: 1,
    maxReferences: 0,
    maxPartials: 0,
    takesSeed: false,
    ...image,
  },
  pricing,
})

const perPicture = (perImage: number): PicturePricing => ({
  unit: 'image',
  perImage,
  rows: [],
  perReference: 0,
  perPartial: 0,
})

/** Vectors of these models are cut to any shorter length by `dimensions` (developers.openai.com/api/docs/guides/embeddings). */
const embeddingModel = (
  named: ReturnType<ModelNamer>,
  inputPerMillion: number,
  maxDimensions: number,
): EmbeddingModel => ({
  ...named,
  kind: 'embedding',
  inputModalities: ['text'],
  maxInputTokens: 8_191,
  maxBatch: openAiBatch.texts,
  maxBatchTokens: openAiBatch.tokens,
  maxDimensions,
  encoding: 'base64',
  pricing: { inputPerMillion },
})

const speechFormats: AudioSettings['formats'] = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm']
const sizes = (...pairs: [number, number][]) => pairs.map(([width, height]) => ({ width, height }))
/** The day on which OpenAI switches its speech models off (its page of deprecations). */
const speechEnds = '2027-01-06'

const vendors: MediaVendor[] = [
  {
    key: 'openai',
    name: 'OpenAI',
    transcriptions: readyMadeTranscriptions.openai,
    // Source: developers.openai.com/api/docs/models/<model>.
    models: [
      (named) =>
        openAiPictures(named('gpt-image-2.6-flare', 'GPT Image 2.6 Flare'), outputOf25, [
          'opaque',
          'transparent',
        ]),
      (named) =>
        openAiPictures(named('gpt-image-2.6-sunburst', 'GPT Image 2.6 Sunburst'), outputOf25, [
          'opaque',
          'transparent',
        ]),
      (named) => openAiPictures(named('gpt-image-2', 'GPT Image 2'), outputOf2, ['opaque']),
      (named) =>
        audioModel(
          named('gpt-4o-mini-tts', 'GPT-4o mini TTS', speechEnds),
          { inputPerMillion: 0.6, outputPerMillion: 12 },
          // The model reads 2,000 tokens at once.
          {
            voices: voices(openAiVoices),
            formats: speechFormats,
            maxCharacters: 2_000,
            takesInstructions: true,
          },
        ),
      (named) => olderSpeech(named('tts-1', 'TTS-1', speechEnds), 15),
      (named) => olderSpeech(named('tts-1-hd', 'TTS-1 HD', speechEnds), 30),
      (named) =>
        audioModel(
          named('gpt-audio-1.5', 'GPT Audio 1.5'),
          { inputPerMillion: 32, outputPerMillion: 64 },
          {
            tasks: ['answer'],
            voices: voices(openAiVoices),
            formats: ['pcm'],
            maxCharacters: 4_096,
            takesInstructions: true,
          },
        ),
      (named) => embeddingModel(named('text-embedding-3-small', 'Text Embedding 3 small'), 0.02, 1_536),
      (named) => embeddingModel(named('text-embedding-3-large', 'Text Embedding 3 large'), 0.13, 3_072),
    ],
  },
  {
    key: 'openrouter',
    name: 'OpenRouter',
    transcriptions: readyMadeTranscriptions.openrouter,
    videos: readyMadeVideos.openrouter,
    // Source: openrouter.ai/<model>. Where copies of a page differ by a cent, the highest price is used.
    models: [
      (named) =>
        imageModel(named('recraft/recraft-v4.1', 'Recraft V4.1'), perPicture(0.04), {
          sizes: recraftSizes,
          maxReferences: 1,
        }),
      (named) =>
        imageModel(named('recraft/recraft-v4.1-vector', 'Recraft V4.1 Vector'), perPicture(0.08), {
          sizes: recraftSizes,
          formats: ['svg'],
          maxReferences: 1,
        }),
      (named) =>
        // "$0.04 per output image, regardless of size"; the sizes are those that routeway.ai/models/seedream-v4.5-sequential lists.
        imageModel(named('bytedance-seed/seedream-4.5', 'Seedream 4.5'), perPicture(0.04), {
          sizes: sizes([1920, 1920], [2560, 1440], [1440, 2560], [3072, 2048], [2048, 3072]),
          maxReferences: 8,
        }),
      // OpenRouter passes its vendors' prices on (openrouter.ai/docs/faq), so these are Google's below.
      (named) =>
        geminiSpeech(named('google/gemini-3.8-flash-tts', 'Gemini 3.8 Flash TTS'), 18, { formats: ['pcm'] }),
    ],
  },
  {
    key: 'gemini',
    name: 'Google',
    videos: readyMadeVideos.gemini,
    // Google's own wire, beside the one that is like OpenAI's.
    provider: {
      id: 'gemini-media',
      baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
      dialects: ['gemini'],
    },
    models: [
      (named) =>
        imageModel(
          // $0.134 a picture of 1K or 2K (4K costs more): ai.google.dev/gemini-api/docs/pricing, as api-evangelist/gemini copied it on 2026-09-20. A
          // picture that is given to edit has 560 tokens: docs.cloud.google.com, gemini/3-pro-image; $2 a million.
          named('gemini-3-pro-image', 'Gemini 3 Pro Image'),
          { ...perPicture(0.134), perReference: 0.00112 },
          {
            sizes: sizes(
              [1024, 1024],
              [1264, 848],
              [848, 1264],
              [1376, 768],
              [768, 1376],
              [2048, 2048],
              [2752, 1536],
              [1536, 2752],
            ),
            maxReferences: 8,
            maxCount: 4,
          },
        ),
      (named) => geminiSpeech(named('gemini-3.8-flash-lite-tts', 'Gemini 3.8 Flash-Lite TTS'), 12),
      (named) => geminiSpeech(named('gemini-3.8-flash-tts', 'Gemini 3.8 Flash TTS'), 18),
    ],
  },
  {
    key: 'elevenlabs',
    name: 'ElevenLabs',
    transcriptions: readyMadeTranscriptions.elevenlabs,
    provider: { id: 'elevenlabs', baseUrl: 'https://api.elevenlabs.io/v1', dialects: ['elevenlabs'] },
    // Flash $0.05, Multilingual and v3 $0.10 a thousand characters: elevenlabs.io/pricing/api, as developer.puter.com and hail-hq/hail quote it;
    // where figures of v3 differ, the highest is used. Languages: help.elevenlabs.io, article 17883183930129.
    models: [
      (named) => elevenSpeech(named('eleven_flash_v2_5', 'Eleven Flash v2.5'), 50, { maxCharacters: 40_000 }),
      (named) =>
        elevenSpeech(named('eleven_multilingual_v2', 'Eleven Multilingual v2'), 100, {
          maxCharacters: 10_000,
        }),
      // The only one of these models that speaks Persian. A dialogue of more than 2,000 characters is spoken line by line.
      (named) =>
        elevenSpeech(named('eleven_v3', 'Eleven v3'), 100, {
          tasks: ['speech', 'dialogue'],
          maxCharacters: 2_000,
          maxVoices: 10,
          languages: ['fa', 'en'],
        }),
    ],
  },
  { key: 'groq', name: 'Groq', transcriptions: readyMadeTranscriptions.groq, models: [] },
  {
    key: 'deepgram',
    name: 'Deepgram',
    transcriptions: readyMadeTranscriptions.deepgram,
    provider: { id: 'deepgram', baseUrl: 'https://api.deepgram.com/v1', dialects: ['deepgram'] },
    models: [],
  },
  {
    key: 'fal',
    name: 'fal',
    videos: readyMadeVideos.fal,
    provider: { id: 'fal', baseUrl: 'https://queue.fal.run', dialects: ['fal'] },
    models: [
      (named) =>
        imageModel(
          // fal.ai/models/fal-ai/flux-1/dev/llms.txt: $0.025 a megapixel. All of these sizes have less than one.
          named('fal-ai/flux-1/dev', 'FLUX.1 [dev]'),
          perPicture(0.025),
          {
            sizes: sizes([960, 960], [1024, 768], [768, 1024], [1280, 720], [720, 1280]),
            formats: ['png', 'jpeg'],
            maxCount: 4,
          },
        ),
    ],
  },
]

/**
 * $5 a million tokens of text, $8 of pictures given to edit, $30 of pictures drawn: docs.laozhang.ai, announcements/gpt-image-2-6-2026-11, and
 * apidog.com/blog/gpt-image-2-5-api quote these prices of developers.openai.com; they also have the sizes, and 100 tokens for an unfinished picture.
 * No document states the most tokens of a picture given to edit: 4,096 patches of 2048 × 2048 and half as many more are assumed.
 */
const openAiPictures = (
  named: ReturnType<ModelNamer>,
  output: ExpectedImageTokens['output'],
  backgrounds: ImageSettings['backgrounds'],
): ImageModel =>
  imageModel(
    named,
    {
      unit: 'tokens',
      inputPerMillion: 5,
      mediaInputPerMillion: 8,
      outputPerMillion: 30,
      expected: { output, perReference: 6_144, perPartial: 100, margin: 1.5 },
    },
    {
      sizes: sizes([1024, 1024], [1536, 1024], [1024, 1536]),
      qualities: ['low', 'medium', 'high'],
      formats: ['png', 'jpeg', 'webp'],
      backgrounds,
      maxCount: 4,
      maxReferences: 16,
      maxPartials: 3,
    },
  )

/**
 * Tokens of 1024 × 1024 with 2.5, whose prices 2.6 kept (github.com/sanand0/blog, quality-levels-of-gpt-image-2.5-flare); wide and tall pictures have
 * fewer.
 */
const outputOf25: ExpectedImageTokens['output'] = [
  { quality: 'low', tokens: 196 },
  { quality: 'medium', tokens: 439 },
  { quality: 'high', tokens: 1_756 },
]

/** Tokens of 1024 × 1024 with 2 (community.openai.com/t/1379464): the same tokens give a lower quality than with 2.5. */
const outputOf2: ExpectedImageTokens['output'] = [
  { quality: 'low', tokens: 196 },
  { quality: 'medium', tokens: 1_756 },
  { quality: 'high', tokens: 7_024 },
]

/** The sizes of Recraft (recraft.ai/docs/api-reference/appendix). */
const recraftSizes = sizes(
  [1024, 1024],
  [1536, 768],
  [768, 1536],
  [1280, 832],
  [832, 1280],
  [1216, 896],
  [896, 1216],
  [1344, 768],
  [768, 1344],
)

const olderSpeech = (named: ReturnType<ModelNamer>, perMillionCharacters: number): AudioModel =>
  audioModel(
    named,
    { perMillionCharacters },
    {
      voices: voices(olderVoices),
      formats: speechFormats,
      maxCharacters: 4_096,
      speed: { min: 0.25, max: 4 },
    },
  )

/**
 * The prices of 2027, twice those before, so that a server that is not renewed by then does not sell below cost
 * (github.com/BerriAI/litellm/discussions/42776). Voices are named as before, but the whole text is spoken, so instructions and speakers have fields
 * of their own, and whole files of WAV are answered (docs.cloud.google.com, text-to-speech/migration-guide).
 */
const geminiSpeech = (
  named: ReturnType<ModelNamer>,
  outputPerMillion: number,
  wire: Pick<AudioSettings, 'formats'> & Partial<AudioSettings> = geminiWire,
): AudioModel =>
  audioModel(
    named,
    { inputPerMillion: 1, outputPerMillion },
    { voices: voices(geminiVoices, ['fa', 'en']), maxCharacters: 4_000, ...wire },
  )
const geminiWire: Pick<AudioSettings, 'formats'> & Partial<AudioSettings> = {
  tasks: ['speech', 'dialogue'],
  formats: ['wav'],
  takesInstructions: true,
  isVerbatim: true,
}

const elevenSpeech = (
  named: ReturnType<ModelNamer>,
  perMillionCharacters: number,
  {
    languages = ['en'],
    ...more
  }: Pick<AudioSettings, 'maxCharacters'> & Partial<AudioSettings> & { languages?: string[] },
): AudioModel =>
  audioModel(
    named,
    { perMillionCharacters },
    {
      // The voice of ElevenLabs' first steps; other voices and the caller's own are named by their ids.
      voices: [{ id: 'JBFqnCBsd6RMkjVDRZzb', name: 'George', gender: 'male', languages }],
      takesOtherVoices: true,
      formats: ['mp3', 'pcm'],
      ...more,
    },
  )

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
        ...vendor.models.map((make) => make(named)),
        ...(vendor.videos?.(named) ?? []),
        ...(vendor.transcriptions?.(named) ?? []),
      ]
    }),
  }
}

const modelNamer =
  ({ key, name, provider }: MediaVendor): ModelNamer =>
  (model, displayName, shutdownDate) => ({
    id: `${key}/${model}`,
    displayName,
    description: `${displayName} by way of ${name}.`,
    ownedBy: key,
    created: listedAt,
    sandbox: false,
    deployments: [{ id: `${key}/${model}`, provider: provider?.id ?? key, model, weight: 1, priority: 0 }],
    fallbacks: [],
    ...(shutdownDate !== undefined && { shutdownDate }),
  })
