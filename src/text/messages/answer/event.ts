import type { AnswerPart, Bill, FinishReason, Usage } from '#core/turn'
import type { MessageJson } from './usage.ts'

/** One event of the wire; its type is also the name of its server-sent event. */
export type MessageEvent = { type: string } & MessageJson

/** Writes an answer as the events of a stream. A JSON answer is assembled from the same events. */
export interface MessageWriter {
  of(part: AnswerPart): MessageEvent[]
  end(bill: Bill): MessageEvent[]
  /** The bytes of tool arguments that no event has had yet. */
  readonly unsentArgumentBytes: number
}

export interface MessageHeading {
  id: string
  model: string
}

/** How an answer is written. `heading` and `usageSoFar` are called when its first part has arrived. */
export interface MessageOptions {
  /** Whether the answer is sent in one piece: its calls are then written when they are complete. */
  isWhole: boolean
  heading: () => MessageHeading
  /** The usage known so far. */
  usageSoFar: () => Usage
  showsThinking: boolean
  nowMs: () => number
}

/** A message without content, for the beginning of a stream. */
export const emptyMessage = ({ id, model }: MessageHeading, usage: MessageJson): MessageJson => ({
  id,
  type: 'message',
  role: 'assistant',
  model,
  content: [],
  container: null,
  diagnostics: null,
  stop_reason: null,
  stop_details: null,
  stop_sequence: null,
  usage,
})

export interface StopDetails {
  reason: FinishReason
  stopSequence?: string
  /** True if the model has refused, whatever stop reason its upstream reports. */
  refused?: boolean
}

/** The fields of `message_delta`, with the reason why the answer ended. */
export function endOf({ reason, stopSequence, refused = false }: StopDetails): MessageJson {
  const ended = refused ? 'refusal' : stopSequence === undefined ? 'end_turn' : 'stop_sequence'
  const stopReason = {
    stop: ended,
    length: 'max_tokens',
    tool_calls: 'tool_use',
    content_filter: 'refusal',
    pause: 'pause_turn',
  }[reason]
  return {
    stop_reason: stopReason,
    stop_sequence: stopReason === 'stop_sequence' ? stopSequence : null,
    stop_details: null,
    container: null,
  }
}
