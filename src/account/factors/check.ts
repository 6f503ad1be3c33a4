/** Checks a second factor that somebody types: the code of an authenticator app, or a recovery code. */
import type { Db, Tx } from '#platform/db'
import { fail } from '#platform/errors'
import type { FactorsApp } from './app.ts'
import { readRecoveryCode, recoveryHash, recoverySigner } from './recovery-codes.ts'
import { cancelBySignIn } from './resets.ts'
import { confirmedFactors, countRecoveryCodes, lockFactors, useRecoveryCode } from './store.ts'
import { isTotp, useTotp } from './use-totp.ts'

/** What somebody who is asked for a second factor may give. */
export type SecondFactor = 'totp' | 'passkey' | 'recovery_code'

export type FactorAnswer = { code: string } | { recoveryCode: string }

/** Which factor was right. */
export type CheckedFactor = { kind: 'totp'; factorId: string } | { kind: 'recovery_code'; left: number }

/** Whether a second factor is asked of the person after every other first factor. */
export const hasSecondFactor = async (db: Db | Tx, personId: string): Promise<boolean> =>
  (await confirmedFactors(db, personId)).length > 0

/**
 * Refuses a first factor as the recent one of a session where the person has a second: whoever knows the password or reads the mailbox could remove it
 * otherwise. Throws SECOND_FACTOR_NEEDED.
 */
export async function requireNoSecondFactor(db: Db | Tx, personId: string): Promise<void> {
  if (await hasSecondFactor(db, personId)) fail('SECOND_FACTOR_NEEDED', {})
}

/** The kinds of factor that the person can give as a second one; empty where none is asked for. */
export async function secondFactorsOf(db: Db | Tx, personId: string): Promise<SecondFactor[]> {
  const factors = await confirmedFactors(db, personId)
  if (factors.length === 0) return []
  const kinds = (['totp', 'passkey'] as const).filter((kind) =>
    factors.some((factor) => factor.kind === kind),
  )
  return (await countRecoveryCodes(db, personId)) > 0 ? [...kinds, 'recovery_code'] : kinds
}

/**
 * Uses the code up and returns which factor it was; undefined for a wrong one, and for one that was used before. Each code is right once, also of
 * requests at the same time. A right one cancels the removal of the person's factors. Count the attempt before, by `countFactorAttempt`, in a
 * transaction of its own.
 */
export async function checkSecondFactor(
  app: Pick<FactorsApp, 'secrets'>,
  tx: Tx,
  personId: string,
  answer: FactorAnswer,
  now: Date,
): Promise<CheckedFactor | undefined> {
  if (!(await lockFactors(tx, personId))) return undefined
  const checked =
    'code' in answer
      ? await checkTotp(app, tx, personId, answer.code, now)
      : await checkRecoveryCode(app, tx, personId, answer.recoveryCode, now)
  if (checked) await cancelBySignIn(tx, personId, now)
  return checked
}

async function checkTotp(
  app: Pick<FactorsApp, 'secrets'>,
  tx: Tx,
  personId: string,
  text: string,
  now: Date,
): Promise<CheckedFactor | undefined> {
  const factors = await confirmedFactors(tx, personId)
  for (const factor of factors.filter(isTotp))
    if (await useTotp(app, tx, factor, text, now)) return { kind: 'totp', factorId: factor.factor_id }
  return undefined
}

async function checkRecoveryCode(
  { secrets }: Pick<FactorsApp, 'secrets'>,
  tx: Tx,
  personId: string,
  text: string,
  now: Date,
): Promise<CheckedFactor | undefined> {
  const code = readRecoveryCode(text)
  if (code === undefined || !(await hasSecondFactor(tx, personId))) return undefined
  const hash = recoveryHash(await recoverySigner(secrets), personId, code)
  if (!(await useRecoveryCode(tx, personId, hash, now))) return undefined
  return { kind: 'recovery_code', left: await countRecoveryCodes(tx, personId) }
}
