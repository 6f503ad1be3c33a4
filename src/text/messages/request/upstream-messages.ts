/** The messages of a request for an upstream of this wire: unchanged except for calls of tools that the platform ran. */
import { callId, isHostedCallId, upstreamHostedCallId } from '../call-ids.ts'
import type { AssistantBlock, ServerToolUseBlock, UserBlock } from './block-schema.ts'
import type { MessageParam } from './schema.ts'
import { calledTool, ExcerptReader, readServiceResult } from './service-results.ts'
import { type MessageStep, type ServiceBlock, stepsOf } from './steps.ts'

/**
 * Turns calls of the platform's tools into calls of ordinary tools: results of the upstream's own tools contain data that it has
 * encrypted, and it refuses results without them.
 */
export function upstreamMessages(messages: readonly MessageParam[]): MessageParam[] {
  const excerpts = new ExcerptReader()
  return messages.flatMap((message) => {
    const { role, content } = message
    if (role !== 'assistant' || typeof content === 'string' || !content.some(isOurs)) return [message]
    return stepsOf(content, isOurs).flatMap((step) => plainMessages(step, excerpts))
  })
}

const isOurs = (block: AssistantBlock): block is ServiceBlock =>
  (block.type === 'server_tool_use' && isHostedCallId(block.id)) ||
  ('tool_use_id' in block && isHostedCallId(block.tool_use_id))

function plainMessages({ blocks, calls }: MessageStep, excerpts: ExcerptReader): MessageParam[] {
  const words = [...blocks.map(({ block }) => block), ...calls.map(({ call }) => plainCall(call))]
  const results = calls.map(({ call, found }): UserBlock => {
    const { text, isError } = readServiceResult(found, excerpts)
    return {
      type: 'tool_result',
      tool_use_id: plainId(call),
      content: text,
      ...(isError && { is_error: true }),
      ...(found?.cache_control && { cache_control: found.cache_control }),
    }
  })
  return [
    ...(words.length > 0 ? [{ role: 'assistant' as const, content: words }] : []),
    ...(results.length > 0 ? [{ role: 'user' as const, content: results }] : []),
  ]
}

const plainCall = (call: ServerToolUseBlock): AssistantBlock => ({
  ...call,
  type: 'tool_use',
  id: plainId(call),
  name: calledTool(call) ?? call.name,
})

const plainId = ({ id }: ServerToolUseBlock): string => callId(upstreamHostedCallId(id))
