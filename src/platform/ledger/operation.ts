/** The fields that every hold and every settlement sends to the database, in whichever transaction. */
import type { HoldOptions, Settlement } from './ledger.ts'

export const holdFields = (options: Omit<HoldOptions, 'started' | 'lifetimeMs'>) => ({
  receipt_id: options.receiptId,
  account_id: options.payer.accountId,
  project_id: options.payer.projectId,
  key_id: options.payer.keyId,
  endpoint: options.endpoint,
  idempotency_key: options.claim?.key,
  fingerprint: options.claim?.fingerprint,
  model: options.model,
  customer_id: options.customerId,
  reference_id: options.referenceId,
})

export const settleFields = (
  of: { accountId: string; receiptId: string },
  {
    state,
    statusCode,
    model,
    detail,
    tokens,
    quantities,
    withinHold,
    lostMicrocredits,
  }: Omit<Settlement, 'microcredits'>,
) => ({
  receipt_id: of.receiptId,
  account_id: of.accountId,
  state,
  status_code: statusCode,
  ambiguous: false,
  within_hold: withinHold ?? false,
  lost: lostMicrocredits === undefined ? undefined : String(lostMicrocredits),
  model,
  detail: detail ?? {},
  input_tokens: tokens?.input ?? 0,
  cached_input_tokens: tokens?.cachedInput ?? 0,
  output_tokens: tokens?.output ?? 0,
  reasoning_tokens: tokens?.reasoning ?? 0,
  quantities,
})
