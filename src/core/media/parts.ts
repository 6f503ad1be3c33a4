import type { Content, Message } from '#core/turn'

/** All content parts, including those inside documents. */
export const partsIn = (messages: readonly Message[]): Content[] =>
  messages.flatMap(({ content }) => content.flatMap(within))

const within = (part: Content): Content[] =>
  part.type === 'document' && 'parts' in part ? [part, ...part.parts.flatMap(within)] : [part]

/** Maps every content part of the messages, including those inside documents; the input is not modified. */
export function withParts(messages: readonly Message[], change: (part: Content) => Content): Message[] {
  const changed = (part: Content): Content =>
    part.type === 'document' && 'parts' in part ? { ...part, parts: part.parts.map(changed) } : change(part)
  return messages.map((message) => ({ ...message, content: message.content.map(changed) }))
}
