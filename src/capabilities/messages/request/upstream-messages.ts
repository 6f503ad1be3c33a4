/** The messages of a request for an upstream of this wire: as they came, but for calls of tools that ran here. */
import { callId, isHostedCallId, upstreamHostedCallId } from '../call-ids.ts'
import type { AssistantBlock, ServerToolUseBlock, UserBlock } from './block-schema.ts'
import { calledTool, Excerpts, readFound } from './found.ts'
import type { MessageParam } from './schema.ts'
import { type ServiceBlock, type Step, stepsOf } from './steps.ts'

/**
 * To the upstream those are calls of ordinary tools. Its own tools' results it would know by what it has encrypted, and refuse
 * anybody else's.
 */
export function upstreamMessages(messages: readonly MessageParam[]): MessageParam[] {
  const excerpts = new Excerpts()
  return messages.flatMap((message) => {
    const { role, content } = message
    if (role !== 'assistant' || typeof content === 'string' || !content.some(isOurs)) return [message]
    return stepsOf(content, isOurs).flatMap((step) => plainMessages(step, excerpts))
  })
}

const isOurs = (block: AssistantBlock): block is ServiceBlock =>
  (block.type === 'server_tool_use' && isHostedCallId(block.id)) ||
  ('tool_use_id' in block && isHostedCallId(block.tool_use_id))

function plainMessages({ said, calls }: Step, excerpts: Excerpts): MessageParam[] {
  const words = [...said.map(({ block }) => block), ...calls.map(({ call }) => plainCall(call))]
  const results = calls.map(({ call, found }): UserBlock => {
    const { text, isError } = readFound(found, excerpts)
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

/** Other wires' ids have characters that this one refuses. */
const plainId = ({ id }: ServerToolUseBlock): string =>
  callId(upstreamHostedCallId(id).replace(/[^\w-]/g, '_'))
