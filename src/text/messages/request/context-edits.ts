/** What an upstream of this wire may do to a long conversation before the model reads it. */
import { type Static, Type } from 'typebox'
import { anyObject, taggedUnion } from '#platform/schema'
import { closedObject, optional } from './block-schema.ts'

const amount = closedObject({ type: Type.String(), value: Type.Integer({ minimum: 0 }) })

const ClearToolUses = closedObject({
  type: Type.Literal('clear_tool_uses_20250919'),
  trigger: optional(amount),
  keep: optional(amount),
  clear_at_least: optional(amount),
  exclude_tools: optional(Type.Array(Type.String())),
  clear_tool_inputs: Type.Optional(
    Type.Unsafe<unknown>({ type: ['boolean', 'array', 'null'], items: { type: 'string' } }),
  ),
})
const ClearThinking = closedObject({
  type: Type.Literal('clear_thinking_20251015'),
  keep: Type.Optional(
    Type.Unsafe<unknown>({
      type: ['string', 'object'],
      additionalProperties: false,
      properties: { type: { type: 'string' }, value: { type: 'integer' } },
    }),
  ),
})
const Compact = closedObject({
  type: Type.Literal('compact_20260112'),
  trigger: optional(amount),
  instructions: optional(Type.String()),
  pause_after_compaction: optional(Type.Boolean()),
})

const known = [ClearToolUses, ClearThinking, Compact] as const
const knownTypes = known.map(({ properties }) => properties.type.const)

interface ContextEdit {
  type: string
}

/** Unknown edits are sent to upstreams of the wire unchanged. */
const AnyEdit = Type.Unsafe<ContextEdit>({
  type: 'object',
  required: ['type'],
  properties: { type: { type: 'string', maxLength: 100 } },
  if: { properties: { type: { enum: knownTypes } } },
  // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword.
  then: taggedUnion('type', [...known]),
  else: anyObject(),
})

export const ContextManagement = closedObject({ edits: Type.Optional(Type.Array(AnyEdit, { maxItems: 10 })) })
export type ContextManagement = Static<typeof ContextManagement>

/** True if the upstream may compact the conversation, for which it reads all of it once more. Unknown edits count as compacting. */
export const mayCompact = (management: ContextManagement | null | undefined): boolean =>
  management?.edits?.some(({ type }) => !type.startsWith('clear_')) ?? false
