/**
 * The turn that the next answer continues: an assistant message with calls, their results, and so on until the vendor answers without a call. With
 * thinking on, its first message has to begin with thinking of this vendor, and with thinking off no message of it may have any.
 */
import { isRecord, type ReasoningMark } from '#providers/kit'

const thinkingTypes: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking'])

export const isThinking = (block: unknown): boolean => isRecord(block) && thinkingTypes.has(block['type'])

/** Whether the open turn begins without thinking; false if there is no open turn. */
export function lacksThinking(messages: readonly unknown[]): boolean {
  const start = openTurn(messages)
  return start !== undefined && !isThinking(blocksOf(messages[start])[0])
}

/**
 * Whether another vendor made the calls with which the open turn begins. Ids of another wire have a prefix of their own behind that of this wire, as
 * `toolu_x_` and `toolu_call_`; Claude's all begin with `toolu_`, those of other vendors of this wire need not.
 */
export function isBegunElsewhere(messages: readonly unknown[], { isOfOwner }: ReasoningMark): boolean {
  const start = openTurn(messages)
  const isForeign = (id: string): boolean => translatedId.test(id) || (isOfOwner && !id.startsWith('toolu_'))
  return start !== undefined && callIdsIn(messages[start]).some(isForeign)
}

const translatedId = /^toolu_(?!bdrk_|vrtx_)[A-Za-z0-9]*[^A-Za-z0-9]/

const callIdsIn = (message: unknown): string[] =>
  blocksOf(message).flatMap((block) =>
    isRecord(block) && block['type'] === 'tool_use' ? [String(block['id'])] : [],
  )

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
