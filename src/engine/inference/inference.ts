/** Asks text models: the paid turn of a caller, with its tools and its settlement, and plain questions of the house itself. */
export {
  boundTurn,
  type CallAsk,
  type Called,
  callModel,
  type PlainQuestion,
  questionTurn,
} from './call-model.ts'
export { type PaidAsk, type PaidTurn, servedTurn, startPaidTurn } from './paid-turn.ts'
export { failureOf } from './upstream-failure.ts'
export { upstreamFailures } from './words.ts'
export { worstCaseOf } from './worst-case.ts'
