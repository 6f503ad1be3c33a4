import { fail } from '#platform/errors'
import { reasons } from '../words.ts'
import type { MessageParam } from './schema.ts'

/** Throws INVALID_REQUEST unless every call is answered, once, before the next message (contract section 4). */
export function requireResults(messages: readonly MessageParam[]): void {
  let open = new Set<string>()
  let last: MessageParam['role'] = 'user'
  for (const [index, message] of messages.entries()) {
    const { role } = message
    if (role === 'system') continue
    if (role === 'assistant') {
      // Several of one role in a row count as one message.
      if (last === 'user') {
        requireNone(open, `messages.${index}`)
        open = new Set()
      }
      for (const id of callsOf(message)) open.add(id)
    } else {
      for (const { id, param } of resultsOf(message, index)) {
        if (!open.delete(id)) fail('INVALID_REQUEST', { why: reasons.strayResult(id) }, { param })
      }
    }
    last = role
  }
  if (last === 'user') requireNone(open, `messages.${messages.length - 1}`)
}

function requireNone(open: ReadonlySet<string>, param: string): void {
  if (open.size > 0)
    fail('INVALID_REQUEST', { why: reasons.missingResults([...open].slice(0, 5)) }, { param })
}

const callsOf = ({ content }: MessageParam): string[] =>
  typeof content === 'string' ? [] : content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))

const resultsOf = ({ content }: MessageParam, index: number): { id: string; param: string }[] =>
  typeof content === 'string'
    ? []
    : content.flatMap((block, place) =>
        block.type === 'tool_result'
          ? [{ id: block.tool_use_id, param: `messages.${index}.content.${place}.tool_use_id` }]
          : [],
      )
