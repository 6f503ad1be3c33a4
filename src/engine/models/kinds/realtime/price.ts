/** What the time of a call costs, beside the models that work in it. */
import { microcreditsOf, type PriceConversion } from '../microcredits.ts'
import type { RealtimeModel } from './realtime-model.ts'

/** In micro-credits, rounded up once; whole seconds of a connection. */
export function realtimeCost(
  { pricing }: RealtimeModel,
  conversion: PriceConversion,
  { seconds }: { seconds: number },
): bigint {
  const perMinute = microcreditsOf(pricing.perMinute, conversion)
  return (perMinute * BigInt(seconds) + 59n) / 60n
}
