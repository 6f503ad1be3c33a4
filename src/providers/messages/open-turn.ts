/**
 * The turn that the next answer continues: an assistant message with calls, their results, and so on until the vendor answers without a call. With
 * thinking on, its first message has to begin with thinking of this vendor, and with thinking off no message of it may have any.
 */
import { isRecord } from '#providers/kit'

const thinkingTypes: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking'])

export const isThinking = (block: unknown): boolean => isRecord(block) && thinkingTypes.has(block['type'])

/** Whether the open turn begins without thinking; false if there is no open turn. */
export function lacksThinking(messages: readonly unknown[]): boolean {
  const start = openTurn(messages)
  return start !== undefined && !isThinking(blocksOf(messages[start])[0])
}

/** Whether a vendor of another wire made the calls with which the open turn begins: their ids have its own prefix behind that of this wire. */
export function isBegunElsewhere(messages: readonly unknown[]): boolean {
  const start = openTurn(messages)
  return start !== undefined && blocksOf(messages[start]).some(isTranslatedCall)
}

const isTranslatedCall = (block: unknown): boolean =>
  isRecord(block) &&
  block['type'] === 'tool_use' &&
  /^toolu_(?!bdrk_|vrtx_)[A-Za-z0-9]*[^A-Za-z0-9]/.test(String(block['id']))

/** Whether nothing is said after the last result of a tool. */
export const endsWithResult = (messages: readonly unknown[]): boolean =>
  isResult(blocksOf(messages.at(-1)).at(-1))

/** The messages without the thinking of the open turn. */
export function withoutThinking(messages: readonly unknown[]): unknown[] {
  const start = openTurn(messages) ?? messages.length
  return messages.flatMap((message, place) => {
    const blocks = blocksOf(message)
    if (place < start || !isRecord(message) || !blocks.some(isThinking)) return [message]
    const content = blocks.filter((block) => !isThinking(block))
    return content.length === 0 ? [] : [{ ...message, content }]
  })
}

/** The place of the first assistant message of the open turn. */
function openTurn(messages: readonly unknown[]): number | undefined {
  let first: number | undefined
  for (let place = messages.length - 1; place >= 0; place -= 1) {
    const message = messages[place]
    const role = isRecord(message) ? message['role'] : undefined
    if (role === 'assistant') first = place
    else if (role === 'user' && !blocksOf(message).some(isResult)) return first
  }
  return first
}

const isResult = (block: unknown): boolean => isRecord(block) && block['type'] === 'tool_result'

const blocksOf = (message: unknown): unknown[] =>
  isRecord(message) && Array.isArray(message['content']) ? message['content'] : []
