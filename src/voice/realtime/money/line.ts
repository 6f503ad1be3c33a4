/** The line of the receipt for one step, from the settlement of its paid call and from its engine. */
import type { StoredPart } from '#core/models'
import { type Attempt, type PricedAttempt, priceAttempts } from '#core/routing'
import type { Quantities, Settlement } from '#platform/ledger'
import type { StepLine } from '../parts.ts'
import type { StoredLine } from './step-store.ts'

export interface StepFacts {
  stepId: string
  /** The time since the call was created. */
  beganMs: number
}

export function storedLine(
  facts: StepFacts,
  { quantities, ambiguous }: StepLine,
  settlement: Settlement | undefined,
  charged: bigint,
): StoredLine {
  const { tokens, detail = {} } = settlement ?? {}
  const { attempts, usage_source, charge } = detail as {
    attempts?: readonly (Attempt | PricedAttempt)[]
    usage_source?: unknown
    charge?: readonly StoredPart[]
  }
  return {
    quantities: counts({
      ...settlement?.quantities,
      input_tokens: tokens?.input ?? 0,
      cached_input_tokens: tokens?.cachedInput ?? 0,
      output_tokens: tokens?.output ?? 0,
      reasoning_tokens: tokens?.reasoning ?? 0,
      ...quantities,
    }),
    ...(ambiguous && { ambiguous }),
    ...(charge && { charge }),
    ...(usage_source === 'estimated' && { usage_source }),
    ...(attempts && attempts.length > 0 && { attempts: attemptsOf(facts, attempts, tokens, charged) }),
  }
}

/** The quantities as whole numbers above zero. */
const counts = (quantities: Quantities): Record<string, number> =>
  Object.fromEntries(
    Object.entries(quantities).flatMap(([unit, count]) =>
      Number.isFinite(count) && count > 0 ? [[unit, Math.ceil(count)]] : [],
    ),
  )

/** The attempts, each with its own cost and the id that was sent with it, so that it is found on the invoice of its vendor. */
function attemptsOf(
  { stepId, beganMs }: StepFacts,
  attempts: readonly (Attempt | PricedAttempt)[],
  tokens: Settlement['tokens'],
  microcredits: bigint,
): unknown[] {
  const isPriced = attempts.some((attempt) => 'microcredits' in attempt)
  const usage = tokens && { cacheWriteInput: 0, mediaInput: 0, ...tokens }
  const all = isPriced
    ? attempts
    : priceAttempts(attempts, usage && { microcredits, usage, usageSource: 'upstream' })
  return all.map((attempt, at) => ({
    attempt_id: `${stepId}-${at + 1}`,
    ...attempt,
    started_ms: attempt.started_ms + beganMs,
    ...(attempt.first_part_ms !== undefined && { first_part_ms: attempt.first_part_ms + beganMs }),
    ...(attempt.ended_ms !== undefined && { ended_ms: attempt.ended_ms + beganMs }),
  }))
}
