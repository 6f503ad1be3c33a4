import type { Content, Message } from '#engine/turn'

/** All parts of content, those inside documents too. */
export const partsIn = (messages: readonly Message[]): Content[] =>
  messages.flatMap(({ content }) => content.flatMap(within))

const within = (part: Content): Content[] =>
  part.type === 'document' && 'parts' in part ? [part, ...part.parts.flatMap(within)] : [part]

/** The messages with every part changed, those inside documents too; what was given stays as it is. */
export function withParts(messages: readonly Message[], change: (part: Content) => Content): Message[] {
  const changed = (part: Content): Content =>
    part.type === 'document' && 'parts' in part ? { ...part, parts: part.parts.map(changed) } : change(part)
  return messages.map((message) => ({ ...message, content: message.content.map(changed) }))
}
