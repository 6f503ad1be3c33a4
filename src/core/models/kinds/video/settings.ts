/** Video models in the configuration file. */
import { type Static, Type } from 'typebox'
import { type ConfigNode, integerIn, readingRules, type Sentence, usd } from '#platform/config'
import { oneOf } from '#platform/schema'
import { commonFields, fallbacks, type NamedEntry, readNamedEntry } from '../named.ts'
import { videoPriceRow } from './price.ts'
import type { VideoCombination, VideoPricing, VideoSettings } from './video-model.ts'

export interface VideoEntry extends NamedEntry {
  kind: 'video'
  video: VideoSettings
  pricing: VideoPricing
}

const dearestUsd = 10_000
const resolution = () => oneOf('480p', '720p', '1080p')

const combinationsMissing: Sentence = {
  en: 'write what the upstream makes, for example [{ resolution: 720p, durations: [4, 8], aspect_ratios: ["16:9"], audio: optional }]',
  fa: 'بنویسید بالادست چه می‌سازد، برای نمونه [{ resolution: 720p, durations: [4, 8], aspect_ratios: ["16:9"], audio: optional }]',
}
const ratioExpected: Sentence = {
  en: 'a ratio such as "16:9", in quotes',
  fa: 'نسبتی مانند "16:9" در گیومه',
}
const aspectRatio = () =>
  Type.String({ pattern: '^[1-9][0-9]{0,2}:[1-9][0-9]{0,2}$', ...readingRules({ expected: ratioExpected }) })

const Combination = Type.Object({
  resolution: resolution(),
  durations: Type.Array(integerIn(1, 30), { minItems: 1, uniqueItems: true, description: 'Whole seconds.' }),
  aspect_ratios: Type.Array(aspectRatio(), { minItems: 1, uniqueItems: true }),
  audio: oneOf('always', 'optional', 'never'),
})

const defaultExpected: Sentence = {
  en: 'settings that stand together in one row of combinations',
  fa: 'تنظیم‌هایی که با هم در یک سطر combinations آمده باشند',
}

const Settings = Type.Object(
  {
    combinations: Type.Array(Combination, {
      minItems: 1,
      description: 'Everything that the upstream makes; other orders are refused.',
      ...readingRules({ missing: combinationsMissing }),
    }),
    default: Type.Optional(
      Type.Object(
        {
          resolution: Type.Optional(resolution()),
          duration: Type.Optional(integerIn(1, 30)),
          aspect_ratio: Type.Optional(aspectRatio()),
          audio: Type.Optional(Type.Boolean()),
        },
        { description: 'What an order gets that does not say it; absent: the first of everything.' },
      ),
    ),
    references: Type.Object(
      {
        guide: Type.Optional(integerIn(1, 8, { description: 'Pictures that say what things look like.' })),
        frames: Type.Optional(integerIn(1, 2, { description: '1: the first frame; 2: the last one too.' })),
      },
      { default: {} },
    ),
    seed: Type.Boolean({ default: false }),
  },
  readingRules({ missing: combinationsMissing }),
)

const priceMissing: Sentence = {
  en: 'write { per_second } or { per_video } in USD, or rows of them by resolution and audio; 0 for free',
  fa: '{ per_second } یا { per_video } را به دلار بنویسید، یا سطرهایی از آن‌ها بر پایهٔ resolution و audio؛ ۰ یعنی رایگان',
}
const price = (description: string) => Type.Optional(usd(dearestUsd, { description }))

const Row = Type.Object({
  resolution: Type.Optional(resolution()),
  audio: Type.Optional(Type.Boolean()),
  per_second: price('USD per second.'),
  per_video: price('USD per video, beside the seconds.'),
})

const Pricing = Type.Object(
  {
    per_second: price('USD per second of every video.'),
    per_video: price('USD per video, beside the seconds.'),
    rows: Type.Array(Row, { default: [], description: 'The first row that fits has the price.' }),
    billed: Type.Unsafe<'ordered' | 'delivered'>({ ...oneOf('ordered', 'delivered'), default: 'ordered' }),
    trust_cost: Type.Optional(oneOf('usd')),
  },
  readingRules({ missing: priceMissing, expected: priceMissing }),
)

export const VideoEntrySchema = Type.Object({ ...commonFields, fallbacks, video: Settings, pricing: Pricing })

export function readVideoEntry(typed: Static<typeof VideoEntrySchema>, node: ConfigNode): VideoEntry {
  const { video, pricing } = typed
  const combinations = video.combinations.map(
    ({ resolution, durations, aspect_ratios: aspectRatios, audio }): VideoCombination => ({
      resolution,
      durations,
      aspectRatios,
      audio,
    }),
  )
  const settings = {
    combinations,
    defaults: defaultsOf(combinations, video.default ?? {}),
    references: readReferences(video.references),
    takesSeed: video.seed,
  }
  if (!settings.defaults) node.find('video')!.find('default')!.refuseValue(defaultExpected)
  const entry = {
    ...readNamedEntry(typed, node),
    kind: 'video' as const,
    video: settings as VideoSettings,
    pricing: pricingOf(pricing),
  }
  refuseUnpriced(entry, node.find('pricing') ?? node)
  return entry
}

function readReferences({ guide, frames }: { guide?: number; frames?: number }): VideoSettings['references'] {
  return { ...(guide && { guide }), ...(frames && { frames: frames as 1 | 2 }) }
}

/** The first row that has everything that is named; undefined if there is none. */
function defaultsOf(
  combinations: readonly VideoCombination[],
  named: { resolution?: string; duration?: number; aspect_ratio?: string; audio?: boolean },
): VideoSettings['defaults'] | undefined {
  const { resolution, duration, aspect_ratio: ratio, audio } = named
  const row = combinations.find(
    (one) =>
      (resolution === undefined || one.resolution === resolution) &&
      (duration === undefined || one.durations.includes(duration)) &&
      (ratio === undefined || one.aspectRatios.includes(ratio)) &&
      (audio === undefined || one.audio === 'optional' || audio === (one.audio === 'always')),
  )
  return (
    row && {
      resolution: row.resolution,
      seconds: duration ?? row.durations[0]!,
      aspectRatio: ratio ?? row.aspectRatios[0]!,
      withAudio: audio ?? row.audio !== 'never',
    }
  )
}

function pricingOf(pricing: Static<typeof Pricing>): VideoPricing {
  const { per_second, per_video, rows, billed, trust_cost } = pricing
  const all = [
    ...rows,
    ...(per_second === undefined && per_video === undefined ? [] : [{ per_second, per_video }]),
  ]
  return {
    rows: all.map((row) => ({
      ...('resolution' in row && row.resolution !== undefined && { resolution: row.resolution }),
      ...('audio' in row && row.audio !== undefined && { audio: row.audio }),
      ...(row.per_second !== undefined && { perSecond: row.per_second }),
      ...(row.per_video !== undefined && { perVideo: row.per_video }),
    })),
    billed,
    trustsCost: trust_cost === 'usd',
  }
}

/** Refuses a combination without a price. */
function refuseUnpriced(entry: VideoEntry, node: ConfigNode): void {
  for (const { resolution, audio } of entry.video.combinations)
    for (const withAudio of audio === 'optional' ? [true, false] : [audio === 'always']) {
      const row = videoPriceRow(entry, { resolution, withAudio })
      if (row?.perSecond === undefined && row?.perVideo === undefined)
        node.refuseValue({
          en: `a price for ${resolution} ${withAudio ? 'with' : 'without'} audio: ${priceMissing.en}`,
          fa: `بهایی برای ${resolution} ${withAudio ? 'با' : 'بی'} صدا: ${priceMissing.fa}`,
        })
    }
}
