/** Calls text models: a caller's paid turn with its hosted tools and settlement, and internal calls of background work. */
export type { TurnApp } from './app.ts'
export {
  boundTurn,
  type CallOptions,
  callModel,
  type ModelCallResult,
  type PlainQuestion,
  questionTurn,
} from './call-model.ts'
export { type PaidTurn, type PaidTurnOptions, prepareTurn, startPaidTurn } from './paid-turn.ts'
export { upstreamFailures } from './phrases.ts'
export type { AnswerListener } from './step.ts'
export { failureOf, orderedFailure } from './upstream-failure.ts'
export { worstCaseOf } from './worst-case.ts'
