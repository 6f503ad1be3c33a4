/** What every paid call of an upstream shares, whatever it is for: who pays, its hold, its settlement, and who is told of it. */
export { alarmClaims, type Claim, claimOf, claimsOf } from './claims.ts'
export { leaveWith } from './leave.ts'
export { requireMayPay } from './may-pay.ts'
export { orderCandidates, type PaidOrder, type PaidOrderKind, startPaidOrder } from './paid-order.ts'
export { type Finished, type PaidCall, PaidRequest } from './paid-request.ts'
export { PaidWatch, providerName } from './watch.ts'
