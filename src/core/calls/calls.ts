/**
 * What all routes that call a model share: choice of the model, payment, ignored fields, cost, and sending the answer.
 * The model may be of any kind. This room has no routes itself.
 */
export { acceptOnce } from './accept-once.ts'
export { answerPaid, replyForReplay, settleDelivered, settleFailed } from './answer.ts'
export { apiKeyHeader } from './api-key-header.ts'
export type { CallsApp } from './app.ts'
export { claimFirst } from './claim-first.ts'
export { Cost, costOf, setCostHeaders, usdOf } from './cost.ts'
export { Base64Bytes } from './json-with-bytes.ts'
export { modelFailures, modelsOfKind, requireMayUse, requireModel, type ServedModels } from './model.ts'
export { type AppliedField, setAppliedFields, setIgnoredFields, unknownFields } from './named-fields.ts'
export {
  payer,
  payment,
  paymentFailures,
  Reference,
  reference,
  referenceHeaders,
  storedFailures,
} from './payment.ts'
export { isBlank, requirePrompt } from './prompt.ts'
export { ignoredFields, Provider, requireNoOptions } from './provider-options.ts'
export {
  answerStored,
  type StoredCall,
  setFileHeaders,
  setMissingOutputs,
  setTruncatedAudio,
  settleStored,
} from './stored-answer.ts'
export { requireUnclaimed } from './unclaimed.ts'
