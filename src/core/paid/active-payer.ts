/** The one check before every paid step after the first: a key that was revoked, narrowed or has expired pays for nothing more. */
import { Failure } from '#platform/errors'
import type { Payer } from '#platform/ledger'
import type { PaidApp } from './app.ts'

/**
 * Checks that the key, its account and its allowed models still permit the next paid step; `model` is the id of the model to be
 * called. Throws INVALID_API_KEY, ACCOUNT_SUSPENDED, PLAN_REQUIRED or MODEL_NOT_ALLOWED, marked as executed. When the database is
 * unavailable the check passes: nothing can have been revoked there, and the work is covered by its hold.
 */
export async function requireActivePayer(
  { keys }: Pick<PaidApp, 'keys'>,
  { accountId, keyId }: Pick<Payer, 'accountId' | 'keyId'>,
  model?: string,
): Promise<void> {
  try {
    const { models } = await keys.callerOf(accountId, keyId)
    if (model !== undefined && models && !models.has(model))
      throw new Failure('MODEL_NOT_ALLOWED', { model }, { param: 'model' })
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (error.code === 'SERVICE_UNAVAILABLE') return
    throw new Failure(error.code, error.detail, { ...error.more, executed: true })
  }
}
