/** What every hold and every settlement says to the database, whatever transaction it goes with. */
import type { HoldAsk, Settlement } from './ledger.ts'

export const holdFields = (ask: Omit<HoldAsk, 'started' | 'lifetimeMs'>) => ({
  hold_id: ask.receiptId,
  receipt_id: ask.receiptId,
  account_id: ask.payer.accountId,
  project_id: ask.payer.projectId,
  key_id: ask.payer.keyId,
  endpoint: ask.endpoint,
  idempotency_key: ask.claim?.key,
  fingerprint: ask.claim?.fingerprint,
  model: ask.model,
  customer_id: ask.customerId,
  reference_id: ask.referenceId,
})

export const settleFields = (
  of: { accountId: string; receiptId: string },
  { state, statusCode, model, detail, tokens, quantities, withinHold }: Omit<Settlement, 'microcredits'>,
) => ({
  hold_id: of.receiptId,
  receipt_id: of.receiptId,
  account_id: of.accountId,
  state,
  status_code: statusCode,
  ambiguous: false,
  within_hold: withinHold ?? false,
  model,
  detail: detail ?? {},
  input_tokens: tokens?.input ?? 0,
  cached_input_tokens: tokens?.cachedInput ?? 0,
  output_tokens: tokens?.output ?? 0,
  reasoning_tokens: tokens?.reasoning ?? 0,
  quantities,
})
