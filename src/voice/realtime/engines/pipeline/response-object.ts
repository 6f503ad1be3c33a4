/** Describes an answer as the `response` of the events that begin and end it. */
import type { FinishReason, Usage } from '#core/turn'
import type { Failure, Language } from '#platform/errors'
import { errorObject } from '../../events/server-events.ts'
import type { CallView, ConversationItem, ResponseOptions } from '../../parts.ts'
import type { AnswerStatus, CancelReason } from '../spoken-answer.ts'

/** What is known of an answer so far. */
export interface AnswerState {
  id: string
  status: AnswerStatus
  /** Why it was cancelled. */
  reason?: CancelReason | undefined
  finishReason: FinishReason | undefined
  failure: Failure | undefined
  usage: Usage | undefined
  output: readonly ConversationItem[]
  /** Whether the output became part of the conversation. */
  isKept: boolean
}

export interface ResponseContext {
  call: Pick<CallView, 'callId' | 'session'>
  responseOptions: ResponseOptions
  /** The language of an error's message. */
  language: Language
}

export const responseObject = (
  state: AnswerState,
  { call: { callId, session }, responseOptions, language }: ResponseContext,
) => ({
  object: 'realtime.response',
  id: state.id,
  status: state.status,
  status_details: detailsOf(state, language),
  output: state.output,
  conversation_id: state.isKept ? `conv_${callId}` : null,
  output_modalities: responseOptions.modalities ?? session.modalities,
  max_output_tokens: responseOptions.maxOutputTokens ?? session.maxOutputTokens,
  usage: state.usage ? usageOf(state.usage) : null,
  metadata: responseOptions.metadata ?? null,
})

function detailsOf({ status, reason, finishReason, failure }: AnswerState, language: Language) {
  if (status === 'cancelled') return { type: 'cancelled', reason }
  if (status === 'incomplete')
    return {
      type: 'incomplete',
      reason: finishReason === 'length' ? 'max_output_tokens' : 'content_filter',
    }
  return failure ? { type: 'failed', error: errorObject(failure, language) } : null
}

const usageOf = ({ input, cachedInput, output }: Usage) => ({
  total_tokens: input + output,
  input_tokens: input,
  output_tokens: output,
  input_token_details: { text_tokens: input, audio_tokens: 0, cached_tokens: cachedInput },
  output_token_details: { text_tokens: output, audio_tokens: 0 },
})
