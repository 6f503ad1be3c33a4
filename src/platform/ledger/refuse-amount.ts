import { fail } from '#platform/errors'

/** Refuses an amount that exceeds the balance or a cap. */
export function refuseAmount(scope: string, needMicrocredits: bigint, haveMicrocredits: bigint): never {
  if (scope === 'balance') fail('INSUFFICIENT_CREDITS', { needMicrocredits, haveMicrocredits })
  fail('BUDGET_EXCEEDED', { scope, needMicrocredits, haveMicrocredits })
}
