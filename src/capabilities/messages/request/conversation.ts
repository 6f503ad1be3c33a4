/** The messages of the wire → neutral messages: results of tools become messages of their own, calls stand beside the text. */
import type { Content, Message, ToolCall } from '#engine/inference'
import { upstreamCallId } from '../call-ids.ts'
import { abilities } from '../words.ts'
import type { AssistantBlock, ToolResultBlock, ToolUseBlock, UserBlock } from './block-schema.ts'
import { contentOf, textContent } from './content.ts'
import type { Reading } from './reading.ts'
import type { MessageParam, MessagesBody } from './schema.ts'

export function conversationOf({ system, messages }: MessagesBody, reading: Reading): Message[] {
  const rules: Message[] =
    system === undefined || system.length === 0 ? [] : [{ role: 'system', content: textContent(system) }]
  return [
    ...rules,
    ...messages.flatMap((message, index) => messagesOf(message, `messages.${index}.content`, reading)),
  ]
}

function messagesOf(message: MessageParam, param: string, reading: Reading): Message[] {
  const { role, content } = message
  if (typeof content === 'string') return [{ role, content: textContent(content) }]
  if (role === 'system') return [{ role, content: textContent(content as Parameters<typeof textContent>[0]) }]
  return role === 'user'
    ? userMessages(content as UserBlock[], param, reading)
    : [assistantMessage(content as AssistantBlock[], param, reading)]
}

function userMessages(blocks: readonly UserBlock[], param: string, reading: Reading): Message[] {
  const messages: Message[] = []
  let content: Content[] = []
  const say = (): void => {
    if (content.length > 0) messages.push({ role: 'user', content })
    content = []
  }
  for (const [index, block] of blocks.entries()) {
    const at = `${param}.${index}`
    if (block.type === 'tool_result') {
      say()
      messages.push(toolMessage(block, at, reading))
    } else content.push(contentOf(block, at, reading))
  }
  say()
  return messages
}

function toolMessage(block: ToolResultBlock, param: string, reading: Reading): Message {
  return {
    role: 'tool',
    toolCallId: upstreamCallId(block.tool_use_id),
    content: resultContent(block, `${param}.content`, reading),
    ...(block.is_error && { isError: true }),
  }
}

function resultContent({ content = [] }: ToolResultBlock, param: string, reading: Reading): Content[] {
  if (typeof content === 'string') return textContent(content)
  return content.flatMap((block, index) => {
    const at = `${param}.${index}`
    if (block.type !== 'tool_reference') return [contentOf(block, at, reading)]
    reading.needsOwnWire(at, abilities.references)
    reading.unread(block)
    return []
  })
}

function assistantMessage(blocks: readonly AssistantBlock[], param: string, reading: Reading): Message {
  const content: Content[] = []
  const toolCalls: ToolCall[] = []
  for (const [index, block] of blocks.entries()) {
    const at = `${param}.${index}`
    if (block.type === 'tool_use') toolCalls.push(callOf(block))
    else content.push(...assistantContent(block, at, reading))
  }
  return { role: 'assistant', content, ...(toolCalls.length > 0 && { toolCalls }) }
}

function assistantContent(
  block: Exclude<AssistantBlock, ToolUseBlock>,
  param: string,
  reading: Reading,
): Content[] {
  switch (block.type) {
    case 'text':
      return [contentOf(block, param, reading)]
    case 'thinking': {
      const { thinking: text, signature } = block
      const opaque = signature !== '' && { opaque: { wire: 'messages' as const, signature } }
      return [{ type: 'reasoning', text, ...opaque }]
    }
    case 'redacted_thinking':
      return [{ type: 'reasoning', text: '', opaque: { wire: 'messages', data: block.data } }]
    case 'document':
      reading.needsOwnWire(param, abilities.assistantDocuments)
      return [contentOf(block, param, reading)]
    default:
      reading.needsOwnWire(param, abilities.serverTools)
      reading.unread(block)
      return []
  }
}

const callOf = ({ id, name, input }: ToolUseBlock): ToolCall => ({
  id: upstreamCallId(id),
  name,
  arguments: JSON.stringify(input),
})
