/** The messages of the wire → neutral messages: tool results become separate messages, calls are beside the text. */
import { unseal } from '#core/text'
import type { Message, MessageContent, OpaqueContent, ToolCall } from '#core/turn'
import { isHostedCallId } from '../call-ids.ts'
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
import type { ParseContext } from './parse-context.ts'
import type { MessageParam, MessagesBody } from './schema.ts'
import { calledTool, isReadable, readServiceResult } from './service-results.ts'
import { type MessageStep, stepsOf } from './steps.ts'

export function conversationOf({ system, messages }: MessagesBody, context: ParseContext): Message[] {
  const rules: Message[] =
    system === undefined || system.length === 0 ? [] : [{ role: 'system', content: textContent(system) }]
  return [
    ...rules,
    ...messages.flatMap((message, index) => messagesOf(message, `messages.${index}.content`, context)),
  ]
}

function messagesOf(message: MessageParam, param: string, context: ParseContext): Message[] {
  const { role, content } = message
  if (typeof content === 'string') return [{ role, content: textContent(content) }]
  if (role === 'system') return [{ role, content: textContent(content as Parameters<typeof textContent>[0]) }]
  return role === 'user'
    ? userMessages(content as UserBlock[], param, context)
    : assistantMessages(content as AssistantBlock[], param, context)
}

function userMessages(blocks: readonly UserBlock[], param: string, context: ParseContext): Message[] {
  const messages: Message[] = []
  let content: MessageContent[] = []
  const flush = (): void => {
    if (content.length > 0) messages.push({ role: 'user', content })
    content = []
  }
  for (const [index, block] of blocks.entries()) {
    const at = `${param}.${index}`
    if (block.type === 'tool_result') {
      flush()
      messages.push(toolMessage(block, at, context))
    } else content.push(contentOf(block, at, context))
  }
  flush()
  return messages
}

function toolMessage(block: ToolResultBlock, param: string, context: ParseContext): Message {
  return {
    role: 'tool',
    toolCallId: context.callIds.of(block.tool_use_id),
    content: resultContent(block, `${param}.content`, context),
    ...(block.is_error && { isError: true }),
  }
}

function resultContent(
  { content = [] }: ToolResultBlock,
  param: string,
  context: ParseContext,
): MessageContent[] {
  if (typeof content === 'string') return textContent(content)
  return content.flatMap((block, index) => {
    const at = `${param}.${index}`
    return [block.type === 'tool_reference' ? toolLoaded(block.tool_name) : contentOf(block, at, context)]
  })
}

/** The text for a tool that the caller's own tool search has found. Other wires get all tools from the beginning, so a text for the model is enough. */
const toolLoaded = (name: string): MessageContent => ({
  type: 'text',
  text: `The tool ${name} is loaded: call it by its name.`,
})

/** One message for each step, and one for each result of a tool that ran at a service. */
function assistantMessages(
  blocks: readonly AssistantBlock[],
  param: string,
  context: ParseContext,
): Message[] {
  return stepsOf(blocks, isReadable).flatMap(({ blocks: stepBlocks, calls }) => {
    const words = stepBlocks.filter(({ block }) => block.type !== 'tool_use')
    const content = words.flatMap(({ block, place }) => assistantContent(block, `${param}.${place}`, context))
    const own = stepBlocks.flatMap(({ block }) => (block.type === 'tool_use' ? [callOf(block, context)] : []))
    const toolCalls = [...calls.map(({ call }) => serviceCall(call, context)), ...own]
    const message: Message = { role: 'assistant', content, ...(toolCalls.length > 0 && { toolCalls }) }
    return [message, ...calls.map((each) => serviceResultMessage(each, context))]
  })
}

function serviceResultMessage({ call, found }: MessageStep['calls'][number], context: ParseContext): Message {
  // A vendor's result is sent to an upstream of this wire unchanged.
  if (found && !isHostedCallId(call.id)) context.addPassthroughBytes(found)
  const { text, isError } = readServiceResult(found, context.excerpts)
  return {
    role: 'tool',
    toolCallId: context.callIds.of(call.id),
    content: [{ type: 'text', text }],
    ...(isError && { isError }),
  }
}

const serviceCall = (call: ServerToolUseBlock, context: ParseContext): ToolCall => ({
  id: context.callIds.of(call.id),
  name: calledTool(call) ?? call.name,
  arguments: JSON.stringify(call.input),
})

function assistantContent(block: AssistantBlock, param: string, context: ParseContext): MessageContent[] {
  switch (block.type) {
    case 'text':
      return [contentOf(block, param, context)]
    case 'thinking': {
      const { thinking: text, signature } = block
      const opaque = signature !== '' && { opaque: opaqueOf(signature, { wire: 'messages', signature }) }
      return [{ type: 'reasoning', text, ...opaque }]
    }
    case 'redacted_thinking': {
      const { data } = block
      return [{ type: 'reasoning', text: '', opaque: opaqueOf(data, { wire: 'messages', data }) }]
    }
    case 'compaction':
      return summaryOf(block, context)
    case 'document':
      context.needsOwnWire(param, abilities.assistantDocuments)
      return [contentOf(block, param, context)]
    default:
      context.needsOwnWire(param, abilities.serverTools)
      context.addPassthroughBytes(block)
      return []
  }
}

/** Opaque data of an upstream of this wire, or those of another wire that were sealed for the client. */
const opaqueOf = (sealed: string, own: OpaqueContent): OpaqueContent => unseal(sealed)?.opaque ?? own

/** The summary of an earlier part of the conversation: its text is sent to every upstream, its opaque fields only to one of this wire. */
function summaryOf({ content, ...seal }: CompactionBlock, context: ParseContext): MessageContent[] {
  context.addPassthroughBytes(seal)
  return content == null || content.trim() === '' ? [] : [{ type: 'text', text: content }]
}

const callOf = ({ id, name, input }: ToolUseBlock, context: ParseContext): ToolCall => ({
  id: context.callIds.of(id),
  name,
  arguments: JSON.stringify(input),
})
