/** The usage of speech, measured by its text and its sound, and by the claims of upstreams as far as they are possible. */
import { type AudioModel, type AudioUsage, maxSoundTokens } from '#core/models'
import { claimsOfFigures, type UsageClaim } from '#core/paid'
import type { Attempt } from '#core/routing'
import type { SpeechResult } from '#core/spec'
import { charactersOf, type PlannedOrder, recordedSecondsOf, type SpeechPlan } from './plan.ts'

export interface SpeechMeasurements {
  model: AudioModel
  plan: SpeechPlan
  /** The orders that an upstream may bill. */
  billed: readonly PlannedOrder[]
  /** The usage of each order that was filled. */
  usages: readonly SpeechResult['usage'][]
  /** The seconds of the sound that came. */
  seconds: number
}

export interface SpeechUsage {
  /** The usage that is paid. */
  used: AudioUsage
  /** Whether an upstream has counted tokens. */
  isCounted: boolean
  claimsOf(attempts: readonly Attempt[]): UsageClaim[]
}

type Tokens = { input: number; output: number }

/** The tokens estimated for a second where a model is paid by tokens and its upstream counts none: most vendors count as many. */
const estimatedTokensPerSecond = 25

export function speechUsageOf(made: SpeechMeasurements): SpeechUsage {
  const { plan, billed, usages } = made
  // A sum of many pieces is inexact in its last digits, and would begin a further second.
  const heard = Math.round(made.seconds * 1e6) / 1e6
  const seconds = Math.min(heard, plan.possibleSeconds)
  const characters = charactersIn(billed)
  const estimate = estimateOf(made, { characters, seconds })
  const tokens = {
    input: Math.min(countedTokens(usages, 'input', estimate), plan.bound.inputTokens),
    output: Math.min(countedTokens(usages, 'output', estimate), maxOutputTokens(plan, seconds)),
  }
  const claimed = {
    ...claimedTokens(usages, 'input'),
    ...claimedTokens(usages, 'output'),
    ...(heard > seconds && { seconds: heard }),
  }
  return {
    used: { characters, seconds, inputTokens: tokens.input, outputTokens: tokens.output },
    isCounted: usages.some((usage) => usage?.input !== undefined || usage?.output !== undefined),
    claimsOf: (attempts) => claimsOfFigures(attempts, claimed, { ...tokens, seconds }),
  }
}

const charactersIn = (orders: readonly PlannedOrder[]): number =>
  orders.reduce((sum, order) => sum + charactersOf(order), 0)

/** The most output tokens. An answer may be as long as the limit that is sent allows, whatever its sound is. */
const maxOutputTokens = ({ bound, orders }: SpeechPlan, seconds: number): number =>
  orders.some(({ question }) => question)
    ? bound.outputTokens
    : Math.max(bound.outputTokens, maxSoundTokens(seconds))

function estimateOf(
  { model, billed }: SpeechMeasurements,
  { characters, seconds }: { characters: number; seconds: number },
): Tokens {
  const { inputPerMillion, outputPerMillion } = model.pricing
  if (inputPerMillion === 0 && outputPerMillion === 0) return { input: 0, output: 0 }
  const recorded = billed.reduce((sum, order) => sum + recordedSecondsOf(order), 0)
  return {
    input: Math.ceil(characters / 2) + Math.ceil(recorded * estimatedTokensPerSecond),
    output: Math.ceil(seconds * estimatedTokensPerSecond),
  }
}

/**
 * The tokens of all orders. A text that was read or spoken never has zero tokens: where an order reports zero, or nothing, all are estimated, at no
 * less than was claimed.
 */
function countedTokens(usages: SpeechMeasurements['usages'], figure: keyof Tokens, estimate: Tokens): number {
  const counts = usages.map((usage) => usage?.[figure] ?? 0)
  const sum = counts.reduce((total, count) => total + count, 0)
  const isWhole = counts.length > 0 && counts.every((count) => count > 0)
  return isWhole ? sum : Math.max(sum, estimate[figure])
}

/** The sum that all orders claim; absent where one of them claims nothing. */
function claimedTokens(usages: SpeechMeasurements['usages'], figure: keyof Tokens): Partial<Tokens> {
  const counts = usages.flatMap((usage) => usage?.[figure] ?? [])
  if (counts.length === 0 || counts.length < usages.length) return {}
  return { [figure]: counts.reduce((total, count) => total + count, 0) }
}
