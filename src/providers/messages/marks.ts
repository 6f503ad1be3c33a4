/** Signatures as callers get them: with the mark of the vendor that made them (`ReasoningMark`). */
import { isFilled } from '#platform/json'
import { isRecord, type ReasoningMark } from '#providers/kit'

type MessagesJson = Record<string, unknown>

/** An event with its signature marked; the same object if there is nothing to mark. */
export function markedEvent(event: MessagesJson, mark: ReasoningMark): MessagesJson {
  if (!mark.writes) return event
  const { delta, content_block: block } = event
  if (isRecord(block)) {
    const marked = signed(block, mark)
    return marked === block ? event : { ...event, content_block: marked }
  }
  if (!isRecord(delta) || delta['type'] !== 'signature_delta') return event
  const marked = withField(delta, 'signature', mark)
  return marked === delta ? event : { ...event, delta: marked }
}

/** A whole answer with its signatures marked; thinking that the vendor has not signed has the mark alone. */
export function markedAnswer(body: MessagesJson, mark: ReasoningMark): MessagesJson {
  const { content } = body
  if (!Array.isArray(content)) return body
  const marked = content.map((block: unknown) => (isRecord(block) ? wholeBlock(block, mark) : block))
  return marked.every((block, place) => block === content[place]) ? body : { ...body, content: marked }
}

function wholeBlock(block: MessagesJson, mark: ReasoningMark): MessagesJson {
  const { type, thinking, signature } = block
  const isUnsigned = type === 'thinking' && !isFilled(signature) && isFilled(thinking)
  if (isUnsigned && mark.unsigned !== undefined) return { ...block, signature: mark.unsigned }
  return mark.writes ? signed(block, mark) : block
}

function signed(block: MessagesJson, mark: ReasoningMark): MessagesJson {
  if (block['type'] === 'thinking') return withField(block, 'signature', mark)
  return block['type'] === 'redacted_thinking' ? withField(block, 'data', mark) : block
}

function withField(fields: MessagesJson, name: string, mark: ReasoningMark): MessagesJson {
  const value = fields[name]
  return isFilled(value) ? { ...fields, [name]: mark.write(value) } : fields
}
