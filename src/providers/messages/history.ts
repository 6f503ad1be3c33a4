/** The messages of a caller of this wire as this vendor takes them: it refuses thinking that it has not signed itself, and ids of other vendors. */
import { CallIds, isRecord, type ReasoningMark } from '#providers/kit'

/** The vendor refuses other characters, longer ids, and an id that an earlier call has. */
export const callIdRule = { accepted: /^[\w-]{1,64}$/, maxLength: 64, isUnique: true }

/** The same objects where nothing has to change. A message of which nothing is left is left out. */
export function vendorMessages(messages: readonly unknown[], mark: ReasoningMark): unknown[] {
  const ids = new CallIds(callIdRule)
  return messages.flatMap((message): unknown[] => {
    if (!isRecord(message) || !Array.isArray(message['content'])) return [message]
    const content = message['content']
    const taken = content.flatMap((block: unknown) =>
      isRecord(block) ? vendorBlock(block, ids, mark) : [block],
    )
    if (taken.length === content.length && taken.every((block, place) => block === content[place]))
      return [message]
    return taken.length === 0 ? [] : [{ ...message, content: taken }]
  })
}

function vendorBlock(block: Record<string, unknown>, ids: CallIds, mark: ReasoningMark): unknown[] {
  switch (block['type']) {
    case 'thinking':
      return withValue(block, 'signature', mark.read(block['signature']))
    case 'redacted_thinking':
      return withValue(block, 'data', mark.read(block['data']) || undefined)
    case 'tool_use':
      return withId(block, 'id', (id) => ids.callId(id))
    case 'tool_result':
      return withId(block, 'tool_use_id', (id) => ids.resultId(id))
    default:
      return [block]
  }
}

function withId(block: Record<string, unknown>, field: string, idOf: (id: string) => string): unknown[] {
  const id = block[field]
  return typeof id === 'string' ? withValue(block, field, idOf(id)) : [block]
}

/** The block with this value in the field; none without a value. */
function withValue(block: Record<string, unknown>, field: string, value: string | undefined): unknown[] {
  if (value === undefined) return []
  return [value === block[field] ? block : { ...block, [field]: value }]
}
