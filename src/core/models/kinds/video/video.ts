/** Models that make videos, by jobs that last minutes. */
import { Type } from 'typebox'
import type { VideoCall, VideoProvider } from '#core/spec'
import { safeInteger } from '#platform/schema'
import { missingDialectOf } from '../dialects.ts'
import { modelKind, withoutTokens } from '../kind.ts'
import { creditsPerUsd, currency, usdEach } from '../pricing.ts'
import { videoLines, videoWorstCase } from './price.ts'
import { readVideoEntry, type VideoEntry, VideoEntrySchema } from './settings.ts'
import type { VideoModel, VideoPricing } from './video-model.ts'
import { unableVideo, videoDialects } from './wires.ts'

declare module '../kind.ts' {
  interface OrderProviders {
    video: VideoProvider
  }
}

const PriceRow = Type.Object({
  resolution: Type.Optional(Type.String()),
  audio: Type.Optional(Type.Boolean()),
  per_second: Type.Optional(usdEach({ en: 'per second', fa: 'برای هر ثانیه' })),
  per_video: Type.Optional(usdEach({ en: 'per video', fa: 'برای هر ویدیو' })),
})

const Pricing = Type.Object({
  currency: currency(),
  rows: Type.Array(PriceRow, {
    description: 'The first row that fits the order is its price.',
    'x-description-fa': 'نخستین سطری که با سفارش بخواند بهای آن است.',
  }),
  billed: Type.String({
    description: '`ordered` seconds, or those that were `delivered`, at most the ordered ones.',
    'x-description-fa': 'ثانیه‌های سفارش‌داده (`ordered`) یا رسیده (`delivered`) که از سفارش بیش‌تر نمی‌شود.',
  }),
  credits_per_usd: creditsPerUsd(),
})

const StudioSettings = Type.Object({
  combinations: Type.Array(
    Type.Object({
      resolution: Type.String(),
      durations: Type.Array(Type.Integer(safeInteger)),
      aspect_ratios: Type.Array(Type.String()),
      audio: Type.String(),
    }),
    {
      description: 'What can be ordered; everything else is refused before credits are held.',
      'x-description-fa': 'آن‌چه می‌توان سفارش داد؛ هر چیز دیگری پیش از کنارگذاشتن اعتبار رد می‌شود.',
    },
  ),
  default: Type.Object({
    resolution: Type.String(),
    duration: Type.Integer(safeInteger),
    aspect_ratio: Type.String(),
    audio: Type.Boolean(),
  }),
  reference_modes: Type.Object({
    guide: Type.Optional(Type.Integer(safeInteger)),
    frames: Type.Optional(Type.Array(Type.String())),
  }),
  seed: Type.Boolean(),
})

const pricesOf = ({ rows, billed }: VideoPricing) => ({
  rows: rows.map(({ resolution, audio, perSecond, perVideo }) => ({
    ...(resolution && { resolution }),
    ...(audio !== undefined && { audio }),
    ...(perSecond !== undefined && { per_second: perSecond }),
    ...(perVideo !== undefined && { per_video: perVideo }),
  })),
  billed,
})

export const video = modelKind({
  kind: 'video',
  entry: VideoEntrySchema,
  readEntry: readVideoEntry,
  dialects: videoDialects,
  missingDialect: missingDialectOf(videoDialects, { en: 'makes no videos', fa: 'گویش ویدیو ندارد' }),
  unsupported: (entry: VideoEntry, dialects) => unableVideo(entry, dialects),
  modelOf: (entry: VideoEntry, { named }): VideoModel => ({
    ...named,
    kind: 'video',
    inputModalities: Object.keys(entry.video.references).length > 0 ? ['text', 'image'] : ['text'],
    video: entry.video,
    pricing: entry.pricing,
  }),
  pricing: Pricing,
  studioSettings: StudioSettings,
  card: ({ video: settings, pricing }) => ({
    output_modalities: ['video'],
    ...withoutTokens,
    pricing: pricesOf(pricing),
    studio_settings: {
      combinations: settings.combinations.map(({ resolution, durations, aspectRatios, audio }) => ({
        resolution,
        durations,
        aspect_ratios: aspectRatios,
        audio,
      })),
      default: {
        resolution: settings.defaults.resolution,
        duration: settings.defaults.seconds,
        aspect_ratio: settings.defaults.aspectRatio,
        audio: settings.defaults.withAudio,
      },
      reference_modes: {
        ...(settings.references.guide && { guide: settings.references.guide }),
        ...(settings.references.frames && {
          frames: ['first', 'last'].slice(0, settings.references.frames),
        }),
      },
      seed: settings.takesSeed,
    },
  }),
  figures: ({ video: settings }) => ({
    abilities: [...new Set(settings.combinations.map(({ resolution }) => resolution))],
  }),
  prices: ({ pricing }) => pricing.rows.map(({ perSecond = 0, perVideo = 0 }) => perSecond + perVideo),
  details: ({ video: settings, pricing }) => ({
    combinations: settings.combinations,
    /** Prices in USD. */
    pricing: pricesOf(pricing),
  }),
  operation: 'generate_content',
  attributes: { 'gen_ai.output.type': 'video' },
  /** Submits the job; the worker of `media/video` follows its progress. */
  callProvider: (provider: VideoProvider, call: VideoCall) => provider.submit(call),
  mayRepeat: ({ executed }) => !executed,
  mayReleaseClaim: ({ executed }) => !executed,
  lines: videoLines,
  worstCase: videoWorstCase,
  defaultModel: {
    setting: 'video_model',
    expected: { en: 'the id of a video model', fa: 'شناسه‌ی یک مدل ویدیو' },
    isFirst: true,
    answersCalls: true,
  },
})
