/** The detail of a call's receipt: a line for each of its steps, as far as there is room, and for the others one for each kind and model. */
import { type Cost, costOfLines, costOfStep, foldCost, limitCost, readCost, sumCosts } from '#core/models'
import { totalQuantities } from '#core/paid'
import type { Quantities, Settlement } from '#platform/ledger'
import type { StepCost, StepGroup, StepRow } from './step-store.ts'

/** The most steps that have a line of their own. */
export const maxLines = 500

interface ReceiptLine {
  step: StepRow['kind']
  model: string
  /** The number of steps in the line; absent: one. */
  steps?: number
  microcredits: number
  quantities?: Quantities
  discarded?: true
  /** The cost is not known, as when the process died: it is at most this. */
  ambiguous?: true
  /** The id of a step of unknown cost, which was sent with its request. */
  call_id?: string
}

export interface ReceiptDetail {
  steps: ReceiptLine[]
  more?: ReceiptLine[]
  attempts: unknown[]
  usage_source: 'upstream' | 'estimated'
}

export function receiptDetail(rows: readonly StepRow[], groups: readonly StepGroup[]): ReceiptDetail {
  const isEstimated = rows.some(({ line }) => line?.usage_source === 'estimated')
  return {
    steps: rows.map(lineOf),
    ...(groups.length > 0 && { more: groups.map(groupLine) }),
    attempts: rows.flatMap(({ line }) => line?.attempts ?? []),
    usage_source: isEstimated ? 'estimated' : 'upstream',
  }
}

function lineOf({ step_id, kind, model, worst, cost, discarded, line }: StepRow): ReceiptLine {
  const isAmbiguous = cost === null || line?.ambiguous === true
  return {
    step: kind,
    model,
    microcredits: Number(cost ?? worst),
    ...quantitiesOf(line?.quantities),
    ...(discarded && { discarded }),
    ...(isAmbiguous && { ambiguous: true, call_id: step_id }),
  }
}

const groupLine = ({ kind, model, steps, cost, ambiguous, quantities }: StepGroup): ReceiptLine => ({
  step: kind,
  model,
  steps,
  microcredits: Number(cost),
  ...quantitiesOf(quantities),
  ...(ambiguous > 0 && { ambiguous: true }),
})

/** The cost of all steps, those of one kind and model together. */
export const costOfSteps = (steps: readonly StepCost[]): Cost =>
  foldCost(sumCosts(steps.map((step) => costOfStep(stepCost(step), step.kind))))

function stepCost({ model, worst, cost, charge }: StepCost): Cost {
  if (cost === null) return limitCost(worst, { model })
  return readCost(charge, model) ?? costOfLines([{ unit: 'steps', quantity: 1, price: cost }], { model })
}

const quantitiesOf = (quantities: Quantities | null | undefined): { quantities?: Quantities } =>
  quantities && Object.keys(quantities).length > 0 ? { quantities } : {}

/** The usage of all steps together: tokens, and other units but seconds, which are those of the call. */
export function usageOfSteps(
  rows: readonly StepRow[],
  groups: readonly StepGroup[],
): { tokens: NonNullable<Settlement['tokens']>; quantities: Quantities } {
  const all = [...rows.map(({ line }) => line?.quantities), ...groups.map(({ quantities }) => quantities)]
  const total = totalQuantities(all.flatMap((one) => (one ? [one] : []))) ?? {}
  const { input_tokens, cached_input_tokens, output_tokens, reasoning_tokens, seconds: _, ...others } = total
  return {
    tokens: {
      input: input_tokens ?? 0,
      cachedInput: cached_input_tokens ?? 0,
      output: output_tokens ?? 0,
      reasoning: reasoning_tokens ?? 0,
    },
    quantities: others,
  }
}
