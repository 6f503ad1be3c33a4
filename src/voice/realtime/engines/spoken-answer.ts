/** An answer as the client sees it: the same states and the same message with every engine. */
import { newId } from '../events/server-events.ts'
import type { ConversationItem } from '../parts.ts'

export type AnswerStatus = 'in_progress' | 'completed' | 'cancelled' | 'failed' | 'incomplete'
/** The reason for which an answer was cancelled. */
export type CancelReason = 'turn_detected' | 'client_cancelled'

/** A message of the assistant, before its content. */
export const emptyMessage = (): ConversationItem => ({
  id: newId('item'),
  type: 'message',
  status: 'in_progress',
  role: 'assistant',
  content: [],
})

export const emptyContent = (isSpoken: boolean): ConversationItem['content'] => [
  isSpoken ? { type: 'output_audio', transcript: '' } : { type: 'output_text', text: '' },
]

export function textOf(message: ConversationItem | undefined): string {
  const [content] = message?.content ?? []
  if (content?.type === 'output_audio') return content.transcript ?? ''
  return content?.type === 'output_text' ? content.text : ''
}

/** The `part` of the events `response.content_part.…`. */
export const partOf = (message: ConversationItem) =>
  message.content[0]?.type === 'output_audio'
    ? { type: 'audio', transcript: textOf(message) }
    : { type: 'text', text: textOf(message) }
