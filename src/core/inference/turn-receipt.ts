/** What the receipt of a paid turn says beside its charge: figures and names, never prompt or answer text. */
import { totalQuantities } from '#core/paid'
import { type PricedAttempt, priceAttempts } from '#core/routing'
import type { Usage } from '#core/turn'
import type { Quantities } from '#platform/ledger'
import type { HostedAnswer, ToolUse } from './hosted.ts'
import type { ModelStep } from './step.ts'

/** How a turn has ended. */
export interface EndedTurn {
  stream: boolean
  maxOutputTokens: number
  steps: readonly ModelStep[]
  usage: Usage
  hosted: HostedAnswer | undefined
  /** True if nothing is charged for the whole turn. */
  isFree: boolean
  undelivered: boolean
  /** The hold before it was raised to the cost. */
  raisedFrom: bigint | undefined
}

export function receiptDetail(turn: EndedTurn) {
  const { stream, maxOutputTokens, steps, usage, hosted, isFree, raisedFrom } = turn
  const head = {
    stream,
    max_output_tokens: maxOutputTokens,
    finish_reason: steps.at(-1)!.finishReason ?? null,
    usage_source: isFree ? 'none' : usageSource(steps),
    tokens: isFree ? null : usage,
  }
  const tail = {
    ...(hosted && { steps: steps.length, tools: hosted.uses.map(useDetail) }),
    ...(raisedFrom !== undefined && { hold_raised_from: String(raisedFrom) }),
  }
  return { head, tail, ...(hosted && { attempts: pricedAttempts(turn) }) }
}

/** Uses of hosted tools, and searches that upstreams ran themselves. */
export function receiptQuantities({
  steps,
  hosted,
  isFree,
}: Pick<EndedTurn, 'steps' | 'hosted' | 'isFree'>): Quantities | undefined {
  if (isFree) return undefined
  const searches = steps.reduce((sum, step) => sum + (step.usage().webSearches ?? 0), 0)
  if (searches === 0 && !hosted) return undefined
  return totalQuantities([{ searches }, ...(hosted?.quantities ?? [])])
}

/** Attempts with their prices: one receipt covers several calls and tool fees. */
const pricedAttempts = ({ steps, isFree, undelivered }: EndedTurn): PricedAttempt[] =>
  steps.flatMap((step, position) => {
    const isStepFree = isFree || (position === steps.length - 1 && step.isFree(undelivered))
    const { microcredits } = step.cost()
    const cost = { microcredits, usage: step.usage(), usageSource: step.usageSource }
    return priceAttempts(step.attempts, isStepFree ? undefined : cost)
  })

const usageSource = (steps: readonly ModelStep[]): string =>
  steps.every((step) => step.usageSource === 'upstream') ? 'upstream' : 'estimated'

const useDetail = ({ tool, uses, failed, microcredits }: ToolUse): Record<string, unknown> => ({
  tool,
  uses,
  failed,
  microcredits: Number(microcredits),
})
