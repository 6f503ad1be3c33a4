import type { Static } from 'typebox'
import {
  isLimitedPerson,
  type KeyName,
  keyNames,
  type SessionPayer,
  sessionPayers,
  visibleProjects,
} from '#account/people'
import type { Caller } from '#platform/auth'
import { fail } from '#platform/errors'
import { isUuid } from '#platform/ids'
import { creditsDown, creditsUp, type Receipt as LedgerReceipt } from '#platform/ledger'
import { bareList } from '#platform/lists'
import type { AccountingApp } from './app.ts'
import { explainCharge } from './charge.ts'
import type { Balance, Lookup, Receipt, RequestReport } from './schema.ts'

/** The credits that can be spent now, and those that are held (decisions §6); somebody limited to named projects does not see what the account has spent. */
export async function reportBalance(app: AccountingApp, caller: Caller): Promise<Static<typeof Balance>> {
  const [{ balance, held }, meters, isLimited] = await Promise.all([
    app.ledger.balance(caller.accountId),
    app.ledger.meters(caller),
    isLimitedPerson(app.db, caller),
  ])
  const free = balance - held
  return {
    balance_credits: creditsDown(free),
    plan: caller.plan,
    currency: 'service_credits',
    shared_balance: true,
    reserved_credits: creditsUp(held),
    balance_microcredits: String(free),
    reserved_microcredits: String(held),
    budgets: meters
      .flatMap((meter) => [
        ...budgetOf(meter.scope, 'total', meter.cap, meter.spent, meter.held),
        ...budgetOf(meter.scope, 'month', meter.month_cap, meter.month_spent, meter.month_held),
      ])
      .map((budget) => (isLimited && budget.scope === 'account' ? withoutSpent(budget) : budget)),
  }
}

type ReportedBudget = Static<typeof Balance>['budgets'][number]

const withoutSpent = (budget: ReportedBudget): ReportedBudget => ({
  ...budget,
  spent_credits: null,
  reserved_credits: null,
})

const budgetOf = (
  scope: ReportedBudget['scope'],
  period: ReportedBudget['period'],
  cap: bigint | null,
  spent: bigint,
  held: bigint,
): ReportedBudget[] =>
  cap === null
    ? []
    : [
        {
          scope,
          period,
          cap_credits: creditsDown(cap),
          spent_credits: creditsUp(spent),
          reserved_credits: creditsUp(held),
        },
      ]

/** A receipt as answers show it; `payer` names whose session paid. */
export function receiptOf(
  row: Omit<LedgerReceipt, 'detail'>,
  payer: SessionPayer | undefined,
): Static<typeof Receipt> {
  return {
    id: row.receipt_id,
    idempotency_key: row.idempotency_key ?? '',
    endpoint: row.endpoint,
    state: row.state,
    status_code: row.status_code,
    credits: creditsUp(row.charged),
    pending: row.state === 'running',
    microcredits: String(row.charged),
    reserved_microcredits: String(row.held),
    ambiguous: row.ambiguous,
    model: row.model,
    customer_id: row.customer_id,
    reference_id: row.reference_id,
    ...personOf(payer),
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  }
}

/** The member of an answer that names who paid by a session. */
export const personOf = (payer: SessionPayer | undefined) =>
  payer && { person: { id: payer.personId, name: payer.displayName } }

/** The members of an answer that name the key. */
export const keyMembers = (key: KeyName | undefined) => ({
  key_name: key?.name ?? null,
  management_key: key?.isManagement ?? false,
})

/** Who paid by a session, if the receipt is not of a key. */
const payerOf = async (
  { db }: AccountingApp,
  caller: Caller,
  { key_id: keyId }: LedgerReceipt,
): Promise<SessionPayer | undefined> =>
  caller.kind === 'key' && caller.keyId === keyId
    ? undefined
    : (await sessionPayers(db, caller.accountId, [keyId])).get(keyId)

/** A request of a project that the caller may see; the request of another project is answered as a missing one. */
export async function reportRequest(
  app: AccountingApp,
  caller: Caller,
  id: string,
): Promise<Static<typeof RequestReport>> {
  const receiptId = requestIdIn(id)
  const row = receiptId && (await app.ledger.receiptOfAccount(caller.accountId, receiptId))
  const visible = await visibleProjects(app.db, caller)
  if (!row || (visible !== 'all' && !visible.includes(row.project_id)))
    return fail('NOT_FOUND', {}, { param: 'id' })
  const receipt = receiptOf(row, await payerOf(app, caller, row))
  const keys = await keyNames(app.db, caller.accountId, [row.key_id])
  const details = row.detail && withoutOperatorFields(row.detail)
  return {
    object: 'request',
    ...receipt,
    project_id: row.project_id,
    key_id: row.key_id,
    ...keyMembers(keys.get(row.key_id)),
    charge: explainCharge(row),
    details,
  }
}

/**
 * Removes what only the operator may see, at any depth: messages of vendors and proxies about keys and addresses; and the lines of the charge, which
 * have a member of their own.
 */
const withoutOperatorFields = ({ charge: _, ...detail }: Record<string, unknown>): Record<string, unknown> =>
  JSON.parse(JSON.stringify(detail, (name, value: unknown) => (name === 'inside' ? undefined : value)))

/** The request's id: the given id itself, or the one inside the id of an answer: `msg_…`, `resp_…`, `chatcmpl-…`. */
function requestIdIn(id: string): string | undefined {
  if (isUuid(id)) return id
  const hex = /^(?:msg_|resp_|chatcmpl-)([0-9a-f]{32})$/.exec(id)?.[1]
  return hex?.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Returns at most one receipt, only of the calling key; an empty list proves nothing about cost. */
export async function lookUp(
  app: AccountingApp,
  caller: Caller,
  idempotencyKey: string,
): Promise<Static<typeof Lookup>> {
  // A person who has never paid in the project has no key.
  const row =
    caller.keyId === '' ? undefined : await app.ledger.lookup(caller.accountId, caller.keyId, idempotencyKey)
  const payer = row && (await payerOf(app, caller, row))
  return bareList.answer(row ? [row] : [], (one) => receiptOf(one, payer))
}
