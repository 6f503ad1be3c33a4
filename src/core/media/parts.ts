import type { Message, MessageContent } from '#core/turn'

/** All content parts, including those inside documents. */
export const allContentParts = (messages: readonly Message[]): MessageContent[] =>
  messages.flatMap(({ content }) => content.flatMap(within))

const within = (part: MessageContent): MessageContent[] =>
  part.type === 'document' && 'parts' in part ? [part, ...part.parts.flatMap(within)] : [part]

/** Maps every content part of the messages, including those inside documents; the input is not modified. */
export function mapContentParts(
  messages: readonly Message[],
  change: (part: MessageContent) => MessageContent,
): Message[] {
  const changed = (part: MessageContent): MessageContent =>
    part.type === 'document' && 'parts' in part ? { ...part, parts: part.parts.map(changed) } : change(part)
  return messages.map((message) => ({ ...message, content: message.content.map(changed) }))
}
