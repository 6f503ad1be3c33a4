import { noCost } from '#core/models'
import type { CallMoney, OpenStep, StepLine } from '../../parts.ts'

/** Opens a step, makes its one paid call, and closes the step whatever the outcome. Throws what `work` throws; the call has then cost nothing. */
export async function withinStep<Result>(
  money: CallMoney,
  step: Parameters<CallMoney['step']>[0],
  work: (open: OpenStep) => Promise<{ result: Result; line: StepLine; discarded?: boolean }>,
): Promise<Result> {
  const open = await money.step(step)
  try {
    const { result, line, discarded = false } = await work(open)
    open.done(undefined, line, { discarded })
    return result
  } catch (error) {
    open.done(noCost, { quantities: {} })
    throw error
  }
}
