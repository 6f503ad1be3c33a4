/** Models for calls in the configuration file. */
import { type Static, Type } from 'typebox'
import { type ConfigNode, reading, usd } from '#platform/config'
import { oneOf } from '#platform/schema'
import { type NamedEntry, named, namedOf } from '../named.ts'
import type { RealtimeEngine, RealtimePricing } from './realtime-model.ts'

export interface RealtimeEntry extends NamedEntry {
  kind: 'realtime'
  engine: RealtimeEngine
  /** Absent: those of `defaults`, else the first of their kinds. */
  textModel?: string
  transcriptionModel?: string
  speechModel?: string
  pricing: RealtimePricing
}

/** USD of a minute. */
const dearest = 1_000_000

const modelId = (en: string, fa: string) => Type.Optional(Type.String(reading({ expected: { en, fa } })))

const { deployments: _, ...ownNamed } = named

export const RealtimeEntrySchema = Type.Object({
  ...ownNamed,
  engine: Type.Unsafe<RealtimeEngine>({
    ...oneOf('pipeline'),
    default: 'pipeline',
    description: 'pipeline: a transcription, a text and a speech model work together.',
  }),
  text_model: modelId('the id of a text model', 'شناسه‌ی یک مدل متنی'),
  transcription_model: modelId('the id of a transcription model', 'شناسه‌ی یک مدل رونویسی'),
  speech_model: modelId('the id of an audio model that speaks', 'شناسه‌ی یک مدل صدا که حرف می‌زند'),
  pricing: Type.Object(
    {
      per_minute: usd(dearest, {
        default: 0,
        description: 'USD per minute of a call, beside what its models cost.',
      }),
    },
    { default: {} },
  ),
})

export function readRealtimeEntry(
  typed: Static<typeof RealtimeEntrySchema>,
  node: ConfigNode,
): RealtimeEntry {
  const { engine, text_model, transcription_model, speech_model, pricing } = typed
  return {
    ...namedOf({ ...typed, deployments: [] }, node),
    kind: 'realtime',
    engine,
    ...(text_model !== undefined && { textModel: text_model }),
    ...(transcription_model !== undefined && { transcriptionModel: transcription_model }),
    ...(speech_model !== undefined && { speechModel: speech_model }),
    pricing: { perMinute: pricing.per_minute },
  }
}
