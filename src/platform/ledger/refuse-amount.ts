import { fail } from '#platform/errors'

/** Refuses what does not fit the balance, or a cap. */
export function refuseAmount(scope: string, needMicrocredits: bigint, haveMicrocredits: bigint): never {
  if (scope === 'balance') fail('INSUFFICIENT_CREDITS', { needMicrocredits, haveMicrocredits })
  fail('BUDGET_EXCEEDED', { scope, needMicrocredits, haveMicrocredits })
}
