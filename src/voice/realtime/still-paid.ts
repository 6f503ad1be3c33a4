/** Checks whether the payer of a running call may still pay. */
import { Failure } from '#platform/errors'
import type { Payer } from '#platform/ledger'
import type { CallRegistryApp } from './app.ts'
import type { EndReason } from './parts.ts'
import type { RegisteredCall } from './registered-call.ts'

type PayerCheckApp = Pick<CallRegistryApp, 'keys' | 'ledger' | 'log'>

/**
 * The reason for which the call is to end: its key was revoked or narrowed, its session has ended, or the spent and held amount is above a cap by now. While the database is
 * away nothing has changed.
 */
export async function unpaidEndReason(
  app: PayerCheckApp,
  { money, models, sessionId }: Pick<RegisteredCall, 'money' | 'models' | 'sessionId'>,
): Promise<EndReason | undefined> {
  const { payer } = money.call
  try {
    const caller = await app.keys.presentCallerOf(payer.accountId, payer.keyId, sessionId)
    if (!caller.scopes.has('audio:write')) return 'revoked'
    if (models.some((model) => caller.models?.has(model) === false)) return 'revoked'
    return (await isAboveCap(app, payer)) ? 'credits' : undefined
  } catch (error) {
    if (error instanceof Failure) return error.code === 'SERVICE_UNAVAILABLE' ? undefined : 'revoked'
    app.log.warn({ err: error }, 'the key of a call could not be checked; it is tried again')
    return undefined
  }
}

/** The amount that balance and caps cover beside all that is held, in micro-credits; undefined while that is not known. */
export async function availableBalance(
  { ledger, log }: PayerCheckApp,
  payer: Payer,
): Promise<bigint | undefined> {
  try {
    const [{ balance, held }, meters] = await Promise.all([
      ledger.balance(payer.accountId),
      ledger.meters(payer),
    ])
    const left = meters.flatMap(({ cap, spent, held, month_cap, month_spent, month_held }) => [
      ...(cap === null ? [] : [cap - spent - held]),
      ...(month_cap === null ? [] : [month_cap - month_spent - month_held]),
    ])
    return left.reduce((least, one) => (one < least ? one : least), balance - held)
  } catch (error) {
    log.warn({ err: error }, 'the balance of a call could not be read; it is tried again')
    return undefined
  }
}

async function isAboveCap({ ledger }: PayerCheckApp, payer: Payer): Promise<boolean> {
  const meters = await ledger.meters(payer)
  return meters.some(
    ({ cap, spent, held, month_cap, month_spent, month_held }) =>
      (cap !== null && spent + held > cap) || (month_cap !== null && month_spent + month_held > month_cap),
  )
}
