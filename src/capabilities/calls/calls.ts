/**
 * What the doors share about a call, whatever is asked of the model: which model, who pays and under which marks, what was ignored, what it
 * cost, and how the answer of a call that has ended leaves. No routes.
 */
export { acceptOnce } from './accept-once.ts'
export { answerPaid, replayable, settleDelivered, settleFailed } from './answer.ts'
export { Cost, costOf, setCostHeaders } from './cost.ts'
export { modelFailures, requireMayUse, requireModel } from './model.ts'
export { type Applied, setAppliedFields, setIgnoredFields, unnamedFields } from './named-fields.ts'
export { payment, paymentFailures, Reference, reference, referenceHeaders } from './payment.ts'
export { requireUnclaimed } from './unclaimed.ts'
