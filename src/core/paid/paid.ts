/** What all paid upstream calls share: the payer check, the hold, the settlement and the telemetry. */

export { requireActivePayer } from './active-payer.ts'
export type { PaidApp } from './app.ts'
export { alarmClaims, claimsOfCorrection, claimsOfFigures, type UsageClaim } from './claims.ts'
export { leaveOnAbort } from './leave.ts'
export {
  type FilledPart,
  maxAmount,
  orderCandidates,
  type PaidOrder,
  type PaidOrderEnd,
  startPaidOrder,
} from './paid-order.ts'
export {
  answerHeadersDetail,
  type Charge,
  type PaidCall,
  type PaidEnd,
  PaidRequest,
  type PaidRequestResult,
  type RequestPart,
  type StatedCost,
} from './paid-request.ts'
export { PaidTelemetry, providerName } from './paid-telemetry.ts'
export { totalQuantities } from './quantities.ts'
export { type SettledPart, SharedHold } from './shared-hold.ts'
export { StoredResult, type StoredResultOptions } from './stored-result.ts'
