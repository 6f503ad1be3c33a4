/** What the time of a call costs, beside the models that work in it, and what the tokens of a relay cost. */
import type { RealtimeUsage } from '#core/spec'
import { microcreditsOf, type PriceConversion } from '../microcredits.ts'
import type { RealtimeModel, RelayModel } from './realtime-model.ts'

/** The cost of a connection of whole seconds in micro-credits, rounded up once. */
export function realtimeCost(
  { pricing }: RealtimeModel,
  conversion: PriceConversion,
  { seconds }: { seconds: number },
): bigint {
  const perMinute = microcreditsOf(pricing.perMinute, conversion)
  return (perMinute * BigInt(seconds) + 59n) / 60n
}

/** Micro-credits of a million tokens of each kind. */
export function relayPricing(
  { pricing: { perMillion } }: RelayModel,
  conversion: PriceConversion,
): Record<keyof RealtimeUsage, bigint> {
  const of = (kind: keyof RealtimeUsage): bigint => microcreditsOf(perMillion[kind], conversion)
  return {
    textInput: of('textInput'),
    audioInput: of('audioInput'),
    imageInput: of('imageInput'),
    cachedTextInput: of('cachedTextInput'),
    cachedAudioInput: of('cachedAudioInput'),
    textOutput: of('textOutput'),
    audioOutput: of('audioOutput'),
  }
}

/** The cost of speech that the upstream of a relay transcribes, in micro-credits, rounded up once. */
export function relayTranscriptionCost(
  { pricing }: RelayModel,
  conversion: PriceConversion,
  seconds: number,
): bigint {
  const perMinute = microcreditsOf(pricing.transcriptionPerMinute, conversion)
  return (perMinute * BigInt(Math.ceil(seconds * 1_000)) + 59_999n) / 60_000n
}
