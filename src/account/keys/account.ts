/** The account of the request: its name, balance and caps. */
import { auditRequest } from '#account/audit'
import { isLimitedPerson } from '#account/people'
import { setAccountDetails } from '#platform/auth'
import { isTimeZone } from '#platform/calendar'
import { fail } from '#platform/errors'
import { changeMeters } from '#platform/ledger'
import type { KeysContext } from './app.ts'
import { capChange, capsOf, thresholdsOf } from './given.ts'
import { heldManager } from './member.ts'
import { reasons } from './phrases.ts'
import type { Account, AccountCaps, AccountPatch } from './schema.ts'
import { accountCaps, shownAccount, withLimits } from './shown.ts'
import { findAccount } from './store.ts'

/** Whoever is limited to named projects sees the balance and the caps, but not what the account has spent. */
export async function readAccount({ app, caller }: KeysContext): Promise<Account> {
  const [row, isLimited] = await Promise.all([
    findAccount(app.db, caller.accountId, new Date(app.clock.nowMs())),
    isLimitedPerson(app.db, caller),
  ])
  const shown = shownAccount(row, app.config.budgets.thresholdsPercent)
  return isLimited ? { ...shown, spent_credits: null, month_spent_credits: null } : shown
}

/** Changes name and time zone. Whoever looks after the budgets changes the caps alone, and whoever is limited to named projects nothing of the account. */
export async function changeAccount(context: KeysContext<AccountPatch>): Promise<Account> {
  const { app, body, caller } = context
  if (Object.keys(body).length === 0) fail('INVALID_REQUEST', { why: reasons.nothing })
  if (body.time_zone !== undefined && !isTimeZone(body.time_zone))
    fail('INVALID_REQUEST', { why: reasons.timeZone }, { param: 'time_zone' })
  const now = new Date(app.clock.nowMs())
  return app.db.tx(async (tx) => {
    const own = await heldManager(tx, context, 'account:write')
    if (own.member?.role === 'billing' || own.projectIds !== null)
      fail('INSUFFICIENT_ROLE', { right: 'account:write' })
    const before = await findAccount(tx, caller.accountId, now)
    await setAccountDetails(tx, caller.accountId, {
      ...(body.name !== undefined && { name: body.name.trim() }),
      ...(body.time_zone !== undefined && { time_zone: body.time_zone }),
    })
    const after = await findAccount(tx, caller.accountId, now)
    await auditRequest(tx, context, {
      projectId: null,
      target: { kind: 'account', id: caller.accountId },
      before: { name: before.name, time_zone: before.time_zone },
      after: { name: after.name, time_zone: after.time_zone },
    })
    return shownAccount(after, app.config.budgets.thresholdsPercent)
  })
}

/** Sets the caps of all spending of the account, and the thresholds of all its caps. Its limits of speed are the operator's. */
export async function changeAccountCaps(context: KeysContext<AccountCaps>): Promise<Account> {
  const { app, body, caller } = context
  if (Object.keys(body).length === 0) fail('INVALID_REQUEST', { why: reasons.nothing })
  const { accountId } = caller
  const now = new Date(app.clock.nowMs())
  const change = {
    scope: 'account',
    scopeId: accountId,
    caps: capsOf(body),
    thresholdsPercent: thresholdsOf(body.thresholds_percent),
  } as const
  return app.db.tx(async (tx) => {
    const own = await heldManager(tx, context, 'account:write')
    if (own.projectIds !== null) fail('INSUFFICIENT_ROLE', { right: 'account:write' })
    const account = await findAccount(tx, accountId, now)
    // The account has exactly one meter.
    const changed = (await changeMeters(tx, accountId, [change], capChange(app, now)))[0]!
    const after = withLimits(account, changed.after)
    await auditRequest(tx, context, {
      projectId: null,
      target: { kind: 'account', id: accountId },
      before: accountCaps(withLimits(account, changed.before)),
      after: accountCaps(after),
    })
    return shownAccount(after, app.config.budgets.thresholdsPercent)
  })
}
