import type { Bill, FinishReason, Part, Usage } from '#engine/turn'
import type { Raw } from './usage.ts'

/** One event of the wire; its type is also the name of its server-sent event. */
export type Event = { type: string } & Raw

/** Writes an answer as the events of a stream. A whole answer is the same events put together. */
export interface Writer {
  of(part: Part): Event[]
  end(bill: Bill): Event[]
}

export interface Heading {
  id: string
  model: string
}

/** How an answer is written: `heading` and `guess` are asked when its first part is there. */
export interface Manner {
  heading: () => Heading
  /** What is used so far, as far as it is known. */
  guess: () => Usage
  showsThinking: boolean
  nowMs: () => number
}

/** A message without content, as it stands at the beginning of a stream. */
export const emptyMessage = ({ id, model }: Heading, usage: Raw): Raw => ({
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

export interface Stop {
  reason: FinishReason
  stopSequence?: string
  /** The model declined, whatever its upstream calls that. */
  refused?: boolean
}

/** Why the answer ended, with all fields of `message_delta`. */
export function endOf({ reason, stopSequence, refused = false }: Stop): Raw {
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
