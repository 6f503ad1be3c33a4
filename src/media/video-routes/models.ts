/** The capabilities of each video model, in the format of OpenRouter's clients. */
import type { AnyModel, VideoModel, VideoPriceRow } from '#core/models'
import type { Caller } from '#platform/auth'
import type { VideoRoutesApp } from './app.ts'
import type { VideoModelCard } from './schema.ts'
import { shapesOf, sizesOf } from './sizes.ts'

export function listVideoModels(
  app: Pick<VideoRoutesApp, 'config' | 'models'>,
  { models }: Caller,
): { data: VideoModelCard[] } {
  const usable = app.models
    .list()
    .filter((model): model is VideoModel => isVideo(model) && (!models || models.has(model.id)))
  return { data: usable.map((model) => cardOf(app, model)) }
}

const isVideo = (model: AnyModel): model is VideoModel => model.kind === 'video'

const frames = ['first_frame', 'last_frame'] as const

function cardOf({ config }: Pick<VideoRoutesApp, 'config'>, model: VideoModel): VideoModelCard {
  const { combinations, references, takesSeed } = model.video
  const { markup } = config.defaults
  return {
    id: model.id,
    canonical_slug: model.id,
    name: model.displayName,
    description: model.description,
    created: model.created,
    supported_resolutions: unique(combinations.map(({ resolution }) => resolution)),
    supported_aspect_ratios: unique(shapesOf(model).map(({ aspectRatio }) => aspectRatio)),
    supported_sizes: sizesOf(model),
    supported_durations: unique(combinations.flatMap(({ durations }) => durations)).sort((a, b) => a - b),
    supported_frame_images: frames.slice(0, references.frames ?? 0),
    generate_audio: combinations.some(({ audio }) => audio !== 'never'),
    seed: takesSeed,
    pricing_skus: Object.fromEntries(model.pricing.rows.flatMap((row) => skusOf(row, markup))),
    allowed_passthrough_parameters: [],
    creativity: null,
    upscale_factor: null,
  }
}

const unique = <Value>(values: readonly Value[]): Value[] => [...new Set(values)]

/** Names such as `duration_seconds_with_audio_720p`, as OpenRouter forms them. */
function skusOf(
  { resolution, audio, perSecond, perVideo }: VideoPriceRow,
  markup: number,
): [string, string][] {
  const sound = audio === undefined ? '' : audio ? '_with_audio' : '_without_audio'
  const of = `${sound}${resolution ? `_${resolution}` : ''}`
  return [
    ...(perSecond === undefined
      ? []
      : [[`duration_seconds${of}`, usd(perSecond * markup)] as [string, string]]),
    ...(perVideo === undefined ? [] : [[`per_video${of}`, usd(perVideo * markup)] as [string, string]]),
  ]
}

/** The amount in digits, without an exponent. */
const usd = (amount: number): string =>
  amount.toLocaleString('en-US', { maximumFractionDigits: 9, useGrouping: false })
