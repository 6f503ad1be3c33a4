/** Asks text models: the paid turn of a caller, with its tools and its settlement, and plain questions of the house itself. */
export {
  boundTurn,
  type Called,
  type CallOptions,
  callModel,
  type PlainQuestion,
  questionTurn,
} from './call-model.ts'
export { type PaidOptions, type PaidTurn, servedTurn, startPaidTurn } from './paid-turn.ts'
export { upstreamFailures } from './phrases.ts'
export { failureOf } from './upstream-failure.ts'
export { worstCaseOf } from './worst-case.ts'
