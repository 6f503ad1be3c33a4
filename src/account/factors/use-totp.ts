import type { Tx } from '#platform/db'
import type { FactorsApp } from './app.ts'
import { type FactorRow, type TotpRow, useStep } from './store.ts'
import { matchingStep, readCode } from './totp.ts'
import { openTotpSecret } from './totp-secret.ts'

export const isTotp = (factor: FactorRow): factor is TotpRow => factor.kind === 'totp'

/** Uses up the code of this one app, and confirms the app where it waits for that. Returns false for a wrong code and one that was used. */
export async function useTotp(
  app: Pick<FactorsApp, 'secrets'>,
  tx: Tx,
  factor: TotpRow,
  text: string,
  now: Date,
): Promise<boolean> {
  const code = readCode(text)
  if (code === undefined) return false
  const secret = await openTotpSecret(app.secrets, factor)
  const lastStep = factor.last_step === null ? null : Number(factor.last_step)
  const step = matchingStep(secret, code, { nowMs: now.getTime(), lastStep })
  return step !== undefined && useStep(tx, factor, step, now)
}
