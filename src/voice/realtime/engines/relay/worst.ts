/** Computes the most that a response and a turn of the engine `relay` may cost. */
import type { ResponseOptions, SessionSettings } from '../../parts.ts'
import type { RelayedModel } from './of-model.ts'
import { maxTokensOf, type RelayPrice, type TokenCounts, worstCaseOfResponse } from './price.ts'
import { maxResponseTokens } from './setup.ts'

/** The most seconds of one turn, with its silence. */
export const maxTurnSeconds = 64

/** The most that a turn may cost, in micro-credits, with its transcription and its answer. */
export function worstOfTurn(model: RelayedModel, session: SessionSettings): bigint {
  return worstOf(model, session, {}) + (model.transcription?.cost(maxTurnSeconds).microcredits ?? 0n)
}

/** The most that a response with these options may cost, in micro-credits. */
export function worstOf(
  model: RelayedModel,
  session: SessionSettings,
  responseOptions: ResponseOptions,
): bigint {
  return worstCaseOfResponse(priceOf(model, session, responseOptions), promptPrefix(session, responseOptions))
}

/** The most tokens of a response with these options. */
export function maxTokenCounts(
  model: RelayedModel,
  session: SessionSettings,
  responseOptions: ResponseOptions,
): TokenCounts {
  return maxTokensOf(priceOf(model, session, responseOptions), promptPrefix(session, responseOptions))
}

function priceOf(
  model: RelayedModel,
  session: SessionSettings,
  responseOptions: ResponseOptions,
): RelayPrice {
  return { ...model, maxOutputTokens: maxResponseTokens(model, session, responseOptions) }
}

function promptPrefix(
  session: SessionSettings,
  responseOptions: ResponseOptions,
): Pick<SessionSettings, 'instructions' | 'tools'> {
  return {
    instructions: responseOptions.instructions ?? session.instructions,
    tools: responseOptions.tools ?? session.tools,
  }
}
