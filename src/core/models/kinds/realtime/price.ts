/** What the time of a call costs, beside the models that work in it, and what the tokens of a relay cost. */
import type { RealtimeUsage } from '#core/spec'
import { type Cost, type CostLine, costOfLines } from '../cost.ts'
import { microcreditsOf, type PriceConversion } from '../microcredits.ts'
import type { RealtimeModel, RelayModel } from './realtime-model.ts'

/** What a connection of whole seconds costs. */
export const realtimeLines = (
  { pricing }: RealtimeModel,
  conversion: PriceConversion,
  { seconds }: { seconds: number },
): CostLine[] => [
  { unit: 'seconds', quantity: seconds, price: microcreditsOf(pricing.perMinute, conversion) },
]

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

/** The cost of speech that the upstream of a relay transcribes, counted in milliseconds. */
export const relayTranscriptionCost = (
  { id, pricing }: RelayModel,
  conversion: PriceConversion,
  seconds: number,
): Cost =>
  costOfLines(
    [
      {
        unit: 'milliseconds',
        quantity: Math.ceil(seconds * 1_000),
        price: microcreditsOf(pricing.transcriptionPerMinute, conversion),
      },
    ],
    { model: id },
  )
