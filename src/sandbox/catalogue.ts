import type {
  AudioModel,
  EmbeddingModel,
  Feature,
  ImageModel,
  Model,
  RealtimeModel,
  TranscriptionModel,
  VideoModel,
} from '#core/models'
import type { Modality } from '#core/turn'
import { aspectRatios, maxSeconds, resolutions } from './video/size.ts'

const warning = {
  en:
    'Simulator for development and tests: it runs offline inside the server, follows fixed rules and is not intelligent. ' +
    'The same request always gets the same answer; temperature and top_p are accepted and have no effect.',
  fa:
    'شبیه‌ساز برای توسعه و آزمون: درون همین سرور و بدون اینترنت کار می‌کند، از قاعده‌های ثابت پیروی می‌کند و هوشمند نیست. ' +
    'پاسخ یک درخواست همیشه یکسان است؛ temperature و top_p پذیرفته می‌شوند و اثری ندارند.',
}

interface SandboxModelEntry {
  name: string
  displayName: string
  can: { en: string; fa: string }
  contextLength: number
  inputModalities: Modality[]
  features: Feature[]
  supportedEfforts?: string[]
  price: { input: number; output: number; media?: number }
}

const entries: SandboxModelEntry[] = [
  {
    name: 'fast',
    displayName: 'Kherad Sandbox Fast (simulator) · شبیه‌ساز سریع خرد',
    can: { en: 'Text, tools and JSON Schema output.', fa: 'متن، ابزار و خروجی JSON Schema.' },
    contextLength: 32_768,
    inputModalities: ['text'],
    features: ['tools', 'json_schema'],
    price: { input: 0.1, output: 0.4 },
  },
  {
    name: 'omni',
    displayName: 'Kherad Sandbox Omni (simulator) · شبیه‌ساز چندرسانه‌ای خرد',
    can: {
      en: 'Takes text, images, audio, video and documents, and names their measured properties; of a PDF it reads the pages’ number alone.',
      fa: 'متن، تصویر، صدا، ویدیو و سند می‌گیرد و ویژگی‌های سنجیدهٔ آن‌ها را می‌گوید؛ از PDF فقط شمار صفحه‌ها را می‌خواند.',
    },
    contextLength: 128_000,
    inputModalities: ['text', 'image', 'audio', 'video', 'file'],
    features: ['tools', 'json_schema'],
    price: { input: 0.5, output: 1.5, media: 1 },
  },
  {
    name: 'reasoner',
    displayName: 'Kherad Sandbox Reasoner (simulator) · شبیه‌ساز استدلالگر خرد',
    can: {
      en: 'Writes reasoning before its answer, longer with more effort; low when nothing is asked.',
      fa: 'پیش از پاسخ استدلال می‌نویسد و با کوشش بیشتر بلندتر؛ اگر چیزی نخواهید، کوتاه.',
    },
    contextLength: 128_000,
    inputModalities: ['text', 'image'],
    features: ['tools', 'json_schema', 'reasoning'],
    supportedEfforts: ['low', 'medium', 'high'],
    price: { input: 0.3, output: 1.2 },
  },
]

export const textModels: Model[] = entries.map((entry) => ({
  id: `sandbox/${entry.name}`,
  kind: 'text',
  displayName: entry.displayName,
  description: `${warning.en} ${entry.can.en}\n${warning.fa} ${entry.can.fa}`,
  ownedBy: 'kherad',
  created: 1_789_862_400,
  sandbox: true,
  deployments: [
    { id: `sandbox/${entry.name}`, provider: 'sandbox', model: entry.name, weight: 1, priority: 0 },
  ],
  fallbacks: [],
  contextLength: entry.contextLength,
  maxOutputTokens: 16_384,
  inputModalities: entry.inputModalities,
  features: entry.features,
  supportedEfforts: entry.supportedEfforts ?? [],
  pricing: {
    inputPerMillion: entry.price.input,
    outputPerMillion: entry.price.output,
    cachedInputPerMillion: entry.price.input / 10,
    cacheWritePerMillion: entry.price.input,
    mediaInputPerMillion: entry.price.media ?? entry.price.input,
  },
}))

export const imageModel: ImageModel = {
  id: 'sandbox/image',
  kind: 'image',
  displayName: 'Kherad Sandbox Image (simulator) · شبیه‌ساز تصویر خرد',
  description: [
    'Simulator for development and tests: it draws no scene but a poster of the prompt, offline inside the server, always the same for the same prompt, with a mark that says so. Given pictures become the backdrop; with a mask the picture stays as it is where the mask is not transparent.',
    'شبیه‌ساز برای توسعه و آزمون: صحنه نمی‌کشد؛ درون همین سرور و بدون اینترنت پوستری از متن درخواست می‌سازد که برای یک متن همیشه یکسان است و نشانی دارد که همین را می‌گوید. تصویرهای داده‌شده پس‌زمینه می‌شوند؛ با mask هر جا که آن شفاف نیست تصویر همان می‌ماند.',
  ].join('\n'),
  ownedBy: 'kherad',
  created: 1_795_132_800,
  sandbox: true,
  deployments: [{ id: 'sandbox/image', provider: 'sandbox', model: 'image', weight: 1, priority: 0 }],
  fallbacks: [],
  inputModalities: ['text', 'image'],
  image: {
    sizes: [
      { width: 1024, height: 1024 },
      { width: 1536, height: 1024 },
      { width: 1024, height: 1536 },
      { width: 1792, height: 1024 },
      { width: 1024, height: 1792 },
      { width: 512, height: 512 },
    ],
    qualities: ['low', 'medium', 'high'],
    formats: ['png', 'jpeg', 'webp'],
    backgrounds: ['opaque', 'transparent'],
    maxCount: 4,
    maxReferences: 8,
    takesMasks: true,
    maxPartials: 3,
    takesSeed: true,
  },
  pricing: {
    unit: 'image',
    perImage: 0.01,
    rows: [
      { quality: 'low', perImage: 0.004 },
      { quality: 'medium', size: { width: 512, height: 512 }, perImage: 0.006 },
      { quality: 'high', perImage: 0.03 },
    ],
    perReference: 0.001,
    perPartial: 0.0005,
  },
}

export const vectorModel: ImageModel = {
  ...imageModel,
  id: 'sandbox/vector',
  displayName: 'Kherad Sandbox Vector (simulator) · شبیه‌ساز تصویر برداری خرد',
  description: [
    'Simulator for development and tests: draws the posters of sandbox/image as SVG.',
    'شبیه‌ساز برای توسعه و آزمون: پوسترهای sandbox/image را به شکل SVG می‌کشد.',
  ].join('\n'),
  inputModalities: ['text'],
  image: { ...imageModel.image, formats: ['svg'], maxReferences: 0, takesMasks: false, maxPartials: 0 },
}

/** The dimensions of a sandbox vector, unless fewer are asked for. */
export const sandboxDimensions = 256

export const embeddingModel: EmbeddingModel = {
  id: 'sandbox/embedding',
  kind: 'embedding',
  displayName: 'Kherad Sandbox Embedding (simulator) · شبیه‌ساز بردار خرد',
  description: [
    'Simulator for development and tests: its vectors count words, their stems and runs of three letters, offline inside the server. Texts that share words or parts of words are near each other; it knows nothing of meaning.',
    'شبیه‌ساز برای توسعه و آزمون: بردارهایش شمارش واژه‌ها، ریشه‌ها و سه‌حرفی‌ها هستند، درون همین سرور و بدون اینترنت. متن‌هایی که واژه یا پارهٔ واژهٔ مشترک دارند به هم نزدیک‌اند؛ از معنا چیزی نمی‌داند.',
  ].join('\n'),
  ownedBy: 'kherad',
  created: 1_795_219_200,
  sandbox: true,
  deployments: [{ id: 'sandbox/embedding', provider: 'sandbox', model: 'embedding', weight: 1, priority: 0 }],
  fallbacks: [],
  inputModalities: ['text'],
  maxInputTokens: 8_192,
  maxBatch: 2_048,
  maxBatchTokens: 300_000,
  dimensions: sandboxDimensions,
  maxDimensions: sandboxDimensions,
  encoding: 'float',
  pricing: { inputPerMillion: 0 },
}

export const audioModel: AudioModel = {
  id: 'sandbox/speech',
  kind: 'audio',
  displayName: 'Kherad Sandbox Speech (simulator) · شبیه‌ساز گفتار خرد',
  description: [
    'Simulator for development and tests: a small formant synthesiser inside the server reads Persian and simple English, always the same for the same text, in an artificial voice. Of instructions it follows words about pace and pitch, such as slowly or deep. A recording is answered by sandbox/transcribe, the default text model and this voice together.',
    'شبیه‌ساز برای توسعه و آزمون: یک گفتارساز کوچک درون همین سرور فارسی و انگلیسی ساده می‌خواند، برای یک متن همیشه یکسان و با صدایی ساختگی. از دستورها فقط واژه‌های تندی و زیروبمی، مانند آهسته یا بم، در صدایش اثر دارند. به یک ضبط sandbox/transcribe، مدل متنی پیش‌فرض و همین صدا با هم پاسخ می‌دهند.',
  ].join('\n'),
  ownedBy: 'kherad',
  created: 1_795_392_000,
  sandbox: true,
  deployments: [{ id: 'sandbox/speech', provider: 'sandbox', model: 'speech', weight: 1, priority: 0 }],
  fallbacks: [],
  inputModalities: ['text'],
  audio: {
    tasks: ['speech', 'dialogue'],
    voices: [
      { id: 'sandbox-mina', name: 'مینا', gender: 'female', languages: ['fa', 'en'] },
      { id: 'sandbox-kian', name: 'کیان', gender: 'male', languages: ['fa', 'en'] },
    ],
    takesOtherVoices: false,
    formats: ['pcm'],
    rate: 24_000,
    takesInstructions: true,
    isVerbatim: true,
    maxCharacters: 4_096,
    maxTurns: 40,
    maxVoices: 2,
  },
  pricing: { perMillionCharacters: 10, perMinute: 0, inputPerMillion: 0, outputPerMillion: 0 },
}

export const transcriptionModel: TranscriptionModel = {
  id: 'sandbox/transcribe',
  kind: 'transcription',
  displayName: 'Kherad Sandbox Transcribe (simulator) · شبیه‌ساز رونویسی خرد',
  description: [
    'Simulator for development and tests: it writes down the speech of sandbox/speech word for word, with times and speakers, from quiet tones in that speech which carry its text. Of every other recording it says how long and loud it is and how often somebody begins to speak, and invents no words. It translates nothing: in English it says how many Persian words there are.',
    'شبیه‌ساز برای توسعه و آزمون: گفتار sandbox/speech را واژه‌به‌واژه با زمان و گوینده می‌نویسد، از نواهای آرامی که در همان گفتار است و متنش را با خود دارد. دربارهٔ هر ضبط دیگری فقط می‌گوید چقدر بلند و طولانی است و چند بار گفتار در آن آغاز می‌شود، و واژه‌ای از خود نمی‌سازد. ترجمه نمی‌کند: به انگلیسی می‌گوید چند واژهٔ فارسی هست.',
  ].join('\n'),
  ownedBy: 'kherad',
  created: 1_795_564_800,
  sandbox: true,
  deployments: [
    { id: 'sandbox/transcribe', provider: 'sandbox', model: 'transcribe', weight: 1, priority: 0 },
  ],
  fallbacks: [],
  inputModalities: ['audio'],
  transcription: {
    // Ogg may hold Vorbis, which the sandbox cannot read; formats that are not named here are converted.
    formats: ['wav', 'mp3', 'flac'],
    maxSeconds: 1_200,
    maxBytes: 64 * 1024 * 1024,
    timestamps: 'word',
    diarizes: true,
    translates: true,
    streams: true,
    takesPrompt: true,
    takesKeywords: false,
    hearsLive: false,
    vad: true,
  },
  pricing: { perMinute: 0.006, minimumSeconds: 0, inputPerMillion: 0, outputPerMillion: 0 },
}

export const videoModel: VideoModel = {
  id: 'sandbox/video',
  kind: 'video',
  displayName: 'Kherad Sandbox Video (simulator) · شبیه‌ساز ویدیوی خرد',
  description: [
    'Simulator for development and tests: it films no scene but shows the prompt as a poster with a swinging star, the time and a mark that says so, and speaks its first words, offline inside the server, always the same for the same order. Pictures that guide stand small beside it; frames are the first and the last picture. A job takes 2 to 10 s.',
    'شبیه‌ساز برای توسعه و آزمون: صحنه نمی‌سازد؛ درون همین سرور و بدون اینترنت متن درخواست را چون پوستری با ستاره‌ای در نوسان، زمان و نشانی که همین را می‌گوید نمایش می‌دهد و نخستین واژه‌هایش را می‌خواند، برای یک سفارش همیشه یکسان. تصویرهای راهنما کوچک کنار آن می‌آیند و فریم‌ها تصویر نخست و پایانی‌اند. هر کار ۲ تا ۱۰ ثانیه طول می‌کشد.',
  ].join('\n'),
  ownedBy: 'kherad',
  created: 1_795_564_800,
  sandbox: true,
  deployments: [{ id: 'sandbox/video', provider: 'sandbox', model: 'video', weight: 1, priority: 0 }],
  fallbacks: [],
  inputModalities: ['text', 'image'],
  video: {
    combinations: resolutions.map((resolution) => ({
      resolution,
      durations: Array.from({ length: maxSeconds }, (_, index) => index + 1),
      aspectRatios,
      audio: 'optional',
    })),
    defaults: { resolution: '720p', seconds: 5, aspectRatio: '16:9', withAudio: true },
    references: { guide: 8, frames: 2 },
    takesSeed: true,
  },
  pricing: {
    rows: [
      { resolution: '480p', audio: false, perSecond: 0.002 },
      { resolution: '480p', audio: true, perSecond: 0.003 },
      { resolution: '720p', audio: false, perSecond: 0.004 },
      { resolution: '720p', audio: true, perSecond: 0.006 },
      { resolution: '1080p', audio: false, perSecond: 0.008 },
      { resolution: '1080p', audio: true, perSecond: 0.012 },
    ],
    billed: 'ordered',
    trustsCost: false,
  },
}

export const realtimeModel: RealtimeModel = {
  id: 'sandbox/realtime',
  kind: 'realtime',
  displayName: 'Kherad Sandbox Realtime (simulator) · شبیه‌ساز تماس خرد',
  description: [
    'Simulator for development and tests: a call in which sandbox/transcribe listens, sandbox/fast answers and sandbox/speech speaks, offline inside the server. It understands the speech of sandbox/speech and typed text; of every other voice it notices that somebody spoke. It says in a sentence what it heard, and asks back.',
    'شبیه‌ساز برای توسعه و آزمون: تماسی که در آن sandbox/transcribe می‌شنود، sandbox/fast پاسخ می‌دهد و sandbox/speech حرف می‌زند، درون همین سرور و بدون اینترنت. گفتار sandbox/speech و متن تایپ‌شده را می‌فهمد؛ از هر صدای دیگری فقط درمی‌یابد که کسی حرف زده است. در یک جمله می‌گوید چه شنیده و سپس می‌پرسد.',
  ].join('\n'),
  ownedBy: 'kherad',
  created: 1_795_737_600,
  sandbox: true,
  deployments: [],
  fallbacks: [],
  inputModalities: ['text', 'audio'],
  engine: 'pipeline',
  textModel: 'sandbox/fast',
  transcriptionModel: 'sandbox/transcribe',
  speechModel: 'sandbox/speech',
  pricing: { perMinute: 0 },
}

/**
 * The text model behind an upstream name: `fast`, `sandbox/fast`, or `fast:b` — a name after the colon makes a second
 * deployment of the same model, for tests of failover.
 */
export function findSandboxModel(upstreamModel: string): Model | undefined {
  const name = upstreamModel.replace(/^sandbox\//, '').split(':', 1)[0]
  return textModels.find((model) => model.id === `sandbox/${name}`)
}
