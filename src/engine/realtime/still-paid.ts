/** Whether who pays for a running call may still do so. */
import type { App } from '#app'
import { Failure } from '#platform/errors'
import type { Payer } from '#platform/ledger'
import type { EndReason } from './parts.ts'

export type Checking = Pick<App, 'keys' | 'ledger' | 'log'>

/** Why the call is to end: its key was revoked or narrowed, or what is spent and held is above a cap by now. While the database is away nothing has changed. */
export async function whyUnpaid(
  app: Checking,
  payer: Payer,
  models: readonly string[],
): Promise<EndReason | undefined> {
  try {
    const caller = await app.keys.callerOf(payer.accountId, payer.keyId)
    if (models.some((model) => caller.models?.has(model) === false)) return 'revoked'
    return (await isAboveCap(app, payer)) ? 'credits' : undefined
  } catch (error) {
    if (error instanceof Failure) return error.code === 'SERVICE_UNAVAILABLE' ? undefined : 'revoked'
    app.log.warn({ err: error }, 'the key of a call could not be checked; it is tried again')
    return undefined
  }
}

async function isAboveCap({ ledger }: Checking, payer: Payer): Promise<boolean> {
  const meters = await ledger.meters(payer)
  return meters.some(
    ({ cap, spent, held, month_cap, month_spent, month_held }) =>
      (cap !== null && spent + held > cap) || (month_cap !== null && month_spent + month_held > month_cap),
  )
}
