import { UpstreamError } from '#core/spec'
import type { Document, Media, Message, MessageContent, ToolCall } from '#core/turn'
import { readObject } from '#platform/json'
import { CallIds, type ReasoningMark } from '#providers/kit'
import { callIdRule } from './history.ts'
import { isThinking } from './open-turn.ts'

type WireBlock = Record<string, unknown>
interface WireMessage {
  role: 'user' | 'assistant'
  content: WireBlock[]
}

/** What the vendor knows of a conversation: its ids of the calls, and its signatures. */
interface VendorContext {
  ids: CallIds
  mark: ReasoningMark
}

/**
 * Neutral messages in this wire's format, for a turn that came by another: instructions go to `system`, and consecutive messages of one
 * role are merged, so that all results of parallel calls are in one message. Throws `UpstreamError` for what the wire cannot carry.
 */
export function conversation(
  all: readonly Message[],
  mark: ReasoningMark,
): { system: WireBlock[]; messages: WireMessage[] } {
  const system: WireBlock[] = []
  const messages: WireMessage[] = []
  const vendor: VendorContext = { ids: new CallIds(callIdRule), mark }
  for (const [index, message] of all.entries()) {
    const blocks = blocksOf(message, `messages.${index}`, vendor)
    if (message.role === 'system' || message.role === 'developer') system.push(...blocks)
    else if (blocks.length > 0) append(messages, message.role === 'assistant' ? 'assistant' : 'user', blocks)
  }
  return { system, messages: withoutThoughtAtEnd(messages) }
}

/** The wire refuses an assistant message that ends with thinking, as an answer does that was cut off in its thoughts. */
function withoutThoughtAtEnd(messages: readonly WireMessage[]): WireMessage[] {
  const kept: WireMessage[] = []
  for (const { role, content } of messages) {
    const end =
      role === 'assistant' ? content.findLastIndex((block) => !isThinking(block)) + 1 : content.length
    if (end > 0) append(kept, role, content.slice(0, end))
  }
  return kept
}

function append(messages: WireMessage[], role: WireMessage['role'], content: WireBlock[]): void {
  const last = messages.at(-1)
  if (last?.role === role) last.content.push(...content)
  else messages.push({ role, content })
}

function blocksOf(message: Message, param: string, vendor: VendorContext): WireBlock[] {
  const content = message.content.flatMap((item, index) =>
    item.type === 'reasoning' ? thinking(item, vendor.mark) : blockOf(item, `${param}.content.${index}`),
  )
  switch (message.role) {
    case 'tool':
      return [toolResult(message, content, vendor.ids)]
    case 'assistant': {
      const calls = (message.toolCalls ?? []).map((call) => toolUse(call, vendor.ids))
      return [...content, ...textBlock(message.refusal ?? ''), ...calls]
    }
    default:
      return content
  }
}

function blockOf(content: MessageContent, param: string): WireBlock[] {
  switch (content.type) {
    case 'text':
      return textBlock(content.text)
    case 'image':
      return [{ type: 'image', source: sourceOf(content.media) }]
    case 'document':
      return [documentBlock(content, param)]
    case 'reasoning':
      return []
    case 'audio':
    case 'video':
      throw new UpstreamError('invalid_request', {
        executed: false,
        param,
        detail: `this model's provider takes no ${content.type}`,
      })
  }
}

/** The wire refuses text without a visible character. */
const textBlock = (text: string): WireBlock[] => (text.trim() === '' ? [] : [{ type: 'text', text }])

/** The upstream accepts only thinking that it has signed itself. */
function thinking(
  { text, opaque }: Extract<MessageContent, { type: 'reasoning' }>,
  mark: ReasoningMark,
): WireBlock[] {
  if (opaque?.wire !== 'messages') return []
  const data = mark.read(opaque.data)
  if (data) return [{ type: 'redacted_thinking', data }]
  const signature = mark.read(opaque.signature)
  return signature === undefined ? [] : [{ type: 'thinking', thinking: text, signature }]
}

function documentBlock(document: Document, param: string): WireBlock {
  return {
    type: 'document',
    source: 'media' in document ? sourceOf(document.media) : partsSource(document.parts, param),
    ...(document.title !== undefined && { title: document.title }),
    ...(document.context !== undefined && { context: document.context }),
    ...(document.citations && { citations: { enabled: true } }),
  }
}

/** Plain text is cited by sentence, parts each as a unit. */
function partsSource(parts: readonly MessageContent[], param: string): WireBlock {
  const [first] = parts
  if (parts.length === 1 && first?.type === 'text')
    return { type: 'text', media_type: 'text/plain', data: first.text }
  return { type: 'content', content: parts.flatMap((part) => blockOf(part, param)) }
}

function sourceOf({ data, url, mediaType = 'application/octet-stream' }: Media): WireBlock {
  if (!data) return { type: 'url', url }
  const base64 = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64')
  return { type: 'base64', media_type: mediaType, data: base64 }
}

function toolResult({ toolCallId = '', isError }: Message, content: WireBlock[], ids: CallIds): WireBlock {
  return {
    type: 'tool_result',
    tool_use_id: ids.resultId(toolCallId),
    ...(content.length > 0 && { content }),
    ...(isError && { is_error: true }),
  }
}

/** Another model may have written arguments that are no object. They are wrapped, since a conversation must not end with a change of model. */
function toolUse({ id, name, arguments: text }: ToolCall, ids: CallIds): WireBlock {
  return { type: 'tool_use', id: ids.callId(id), name, input: readObject(text) }
}
