import { UpstreamError } from '#core/spec'
import type { Document, Media, Message, MessageContent, ToolCall } from '#core/turn'
import { exactly, readJsonSync } from '#platform/json'
import { isRecord } from '#providers/kit'

type WireBlock = Record<string, unknown>
interface WireMessage {
  role: 'user' | 'assistant'
  content: WireBlock[]
}

/**
 * Neutral messages in this wire's format, for a turn that came by another: instructions go to `system`, and consecutive messages of one
 * role are merged, so that all results of parallel calls are in one message. Throws `UpstreamError` for what the wire cannot carry.
 */
export function conversation(all: readonly Message[]): { system: WireBlock[]; messages: WireMessage[] } {
  const system: WireBlock[] = []
  const messages: WireMessage[] = []
  for (const [index, message] of all.entries()) {
    const blocks = blocksOf(message, `messages.${index}`)
    if (message.role === 'system' || message.role === 'developer') system.push(...blocks)
    else if (blocks.length > 0) append(messages, message.role === 'assistant' ? 'assistant' : 'user', blocks)
  }
  return { system, messages }
}

function append(messages: WireMessage[], role: WireMessage['role'], content: WireBlock[]): void {
  const last = messages.at(-1)
  if (last?.role === role) last.content.push(...content)
  else messages.push({ role, content })
}

function blocksOf(message: Message, param: string): WireBlock[] {
  const content = message.content.flatMap((item, index) => blockOf(item, `${param}.content.${index}`))
  switch (message.role) {
    case 'tool':
      return [toolResult(message, content)]
    case 'assistant': {
      const calls = (message.toolCalls ?? []).map((call, index) =>
        toolUse(call, `${param}.tool_calls.${index}.function.arguments`),
      )
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
      return thinking(content)
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

/** The upstream accepts only its own signed thinking. */
function thinking({ text, opaque }: Extract<MessageContent, { type: 'reasoning' }>): WireBlock[] {
  if (opaque?.wire !== 'messages') return []
  if (opaque.data !== undefined) return [{ type: 'redacted_thinking', data: opaque.data }]
  return opaque.signature === undefined
    ? []
    : [{ type: 'thinking', thinking: text, signature: opaque.signature }]
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

function toolResult({ toolCallId = '', isError }: Message, content: WireBlock[]): WireBlock {
  return {
    type: 'tool_result',
    tool_use_id: callId(toolCallId),
    ...(content.length > 0 && { content }),
    ...(isError && { is_error: true }),
  }
}

function toolUse({ id, name, arguments: text }: ToolCall, param: string): WireBlock {
  return { type: 'tool_use', id: callId(id), name, input: inputOf(text, param) }
}

/** Some vendors' ids contain dots and colons, which this wire refuses; the ids of call and result are replaced alike. */
const callId = (id: string): string => id.replace(/[^\w-]/g, '_')

function inputOf(text: string, param: string): WireBlock {
  try {
    const input = readJsonSync(text === '' ? '{}' : text, { exact: true })
    if (isRecord(input)) return exactly(input)
  } catch {
    // Reported below with the same message.
  }
  const detail = 'the arguments of an earlier tool call are not a JSON object'
  throw new UpstreamError('invalid_request', { executed: false, param, detail })
}
