/** The messages of the wire → neutral messages: results of tools become messages of their own, calls stand beside the text. */
import type { Content, Message, ToolCall } from '#engine/turn'
import { isHostedCallId, upstreamCallId, upstreamHostedCallId } from '../call-ids.ts'
import { abilities } from '../phrases.ts'
import type {
  AssistantBlock,
  CompactionBlock,
  ServerToolUseBlock,
  ToolResultBlock,
  ToolUseBlock,
  UserBlock,
} from './block-schema.ts'
import { contentOf, textContent } from './content.ts'
import { calledTool, isReadable, readFound } from './found.ts'
import type { Reading } from './reading.ts'
import type { MessageParam, MessagesBody } from './schema.ts'
import { type Step, stepsOf } from './steps.ts'

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
    : assistantMessages(content as AssistantBlock[], param, reading)
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
    return [block.type === 'tool_reference' ? loaded(block.tool_name) : contentOf(block, at, reading)]
  })
}

/** A search of the caller's own has found a tool. Other wires are given all tools from the beginning, so the model is only told. */
const loaded = (name: string): Content => ({
  type: 'text',
  text: `The tool ${name} is loaded: call it by its name.`,
})

/** One message for each step, and one for each result of a tool that ran at a service. */
function assistantMessages(blocks: readonly AssistantBlock[], param: string, reading: Reading): Message[] {
  return stepsOf(blocks, isReadable).flatMap(({ said, calls }) => {
    const words = said.filter(({ block }) => block.type !== 'tool_use')
    const content = words.flatMap(({ block, place }) => assistantContent(block, `${param}.${place}`, reading))
    const own = said.flatMap(({ block }) => (block.type === 'tool_use' ? [callOf(block)] : []))
    const toolCalls = [...calls.map(({ call }) => serviceCall(call)), ...own]
    const message: Message = { role: 'assistant', content, ...(toolCalls.length > 0 && { toolCalls }) }
    return [message, ...calls.map((each) => foundMessage(each, reading))]
  })
}

function foundMessage({ call, found }: Step['calls'][number], reading: Reading): Message {
  // To an upstream of this wire a vendor's own goes as it came.
  if (found && !isHostedCallId(call.id)) reading.unread(found)
  const { text, isError } = readFound(found, reading.excerpts)
  return {
    role: 'tool',
    toolCallId: upstreamHostedCallId(call.id),
    content: [{ type: 'text', text }],
    ...(isError && { isError }),
  }
}

const serviceCall = (call: ServerToolUseBlock): ToolCall => ({
  id: upstreamHostedCallId(call.id),
  name: calledTool(call) ?? call.name,
  arguments: JSON.stringify(call.input),
})

function assistantContent(block: AssistantBlock, param: string, reading: Reading): Content[] {
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
    case 'compaction':
      return summaryOf(block, reading)
    case 'document':
      reading.needsOwnWire(param, abilities.assistantDocuments)
      return [contentOf(block, param, reading)]
    default:
      reading.needsOwnWire(param, abilities.serverTools)
      reading.unread(block)
      return []
  }
}

/** What an upstream has made of an earlier part of the conversation: its words for everybody, its seal for itself. */
function summaryOf({ content, ...seal }: CompactionBlock, reading: Reading): Content[] {
  reading.unread(seal)
  return content == null || content.trim() === '' ? [] : [{ type: 'text', text: content }]
}

const callOf = ({ id, name, input }: ToolUseBlock): ToolCall => ({
  id: upstreamCallId(id),
  name,
  arguments: JSON.stringify(input),
})
