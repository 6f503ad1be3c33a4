import { fail } from '#platform/errors'
import { reasons } from '../phrases.ts'
import type { MessageParam } from './schema.ts'

/** Throws INVALID_REQUEST unless every call has a unique id and exactly one result before the next assistant message (contract section 4). */
export function requireResults(messages: readonly MessageParam[]): void {
  let open = new Set<string>()
  let last: MessageParam['role'] = 'user'
  for (const [index, message] of messages.entries()) {
    const { role } = message
    if (role === 'system') continue
    if (role === 'assistant') {
      // Consecutive messages of one role count as one message.
      if (last === 'user') {
        requireNoOpenCalls(open, `messages.${index}`)
        open = new Set()
      }
      for (const { id, param } of callsOf(message, index)) {
        if (open.has(id)) fail('INVALID_REQUEST', { why: reasons.twoCalls(id) }, { param })
        open.add(id)
      }
    } else {
      for (const { id, param } of resultsOf(message, index)) {
        if (!open.delete(id)) fail('INVALID_REQUEST', { why: reasons.unexpectedResult(id) }, { param })
      }
    }
    last = role
  }
  if (last === 'user') requireNoOpenCalls(open, `messages.${messages.length - 1}`)
}

function requireNoOpenCalls(open: ReadonlySet<string>, param: string): void {
  if (open.size > 0)
    fail('INVALID_REQUEST', { why: reasons.missingResults([...open].slice(0, 5)) }, { param })
}

interface LocatedId {
  id: string
  param: string
}

const callsOf = ({ content }: MessageParam, index: number): LocatedId[] =>
  typeof content === 'string'
    ? []
    : content.flatMap((block, place) =>
        block.type === 'tool_use' ? [{ id: block.id, param: `messages.${index}.content.${place}.id` }] : [],
      )

const resultsOf = ({ content }: MessageParam, index: number): LocatedId[] =>
  typeof content === 'string'
    ? []
    : content.flatMap((block, place) =>
        block.type === 'tool_result'
          ? [{ id: block.tool_use_id, param: `messages.${index}.content.${place}.tool_use_id` }]
          : [],
      )
