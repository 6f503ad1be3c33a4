/** The tools of the messages wire: the caller's own, those that vendors' models were trained on, and those that a service runs. */
import { type Static, type TObject, type TProperties, Type } from 'typebox'
import { cappedInteger, maxPageTokens, maxUses } from '#core/text'
import { anyObject, nameSchemas, oneOf, taggedUnion } from '#platform/schema'
import { CitationsConfig, cacheable, closedObject, optional } from './block-schema.ts'

const anyTool = {
  ...cacheable,
  strict: optional(Type.Boolean()),
  defer_loading: optional(Type.Boolean()),
  allowed_callers: Type.Optional(
    Type.Array(
      oneOf('direct', 'code_execution_20250825', 'code_execution_20260120', 'code_execution_20260521'),
    ),
  ),
}
const withExamples = { ...anyTool, input_examples: Type.Optional(Type.Array(anyObject())) }

/** A tool of the caller: the model calls it, the caller runs it. */
export const CustomTool = closedObject({
  type: optional(Type.Literal('custom')),
  name: Type.String({ minLength: 1, maxLength: 200 }),
  description: optional(Type.String()),
  input_schema: anyObject({
    description: 'JSON Schema of the input.',
    'x-description-fa': 'JSON Schema ورودی.',
  }),
  eager_input_streaming: optional(Type.Boolean()),
  ...withExamples,
})
export type CustomTool = Static<typeof CustomTool>

const pixels = Type.Integer({ minimum: 1, maximum: 100_000 })
const computer = {
  name: Type.Literal('computer'),
  display_width_px: pixels,
  display_height_px: pixels,
  display_number: optional(Type.Integer({ minimum: 0 })),
  ...withExamples,
}
const edits = { name: Type.Literal('str_replace_based_edit_tool'), ...withExamples }

/** Tools on which a vendor's models were trained; the caller runs them too. */
const clientTools = [
  closedObject({ type: Type.Literal('computer_20250124'), ...computer }),
  closedObject({
    type: Type.Literal('computer_20251124'),
    ...computer,
    enable_zoom: Type.Optional(Type.Boolean()),
  }),
  closedObject({ type: Type.Literal('bash_20250124'), name: Type.Literal('bash'), ...withExamples }),
  closedObject({
    type: Type.Literal('text_editor_20250124'),
    name: Type.Literal('str_replace_editor'),
    ...withExamples,
  }),
  closedObject({ type: Type.Literal('text_editor_20250429'), ...edits }),
  closedObject({
    type: Type.Literal('text_editor_20250728'),
    ...edits,
    max_characters: optional(Type.Integer({ minimum: 1 })),
  }),
  closedObject({ type: Type.Literal('memory_20250818'), name: Type.Literal('memory'), ...withExamples }),
]

const domains = optional(Type.Array(Type.String({ maxLength: 500 }), { maxItems: 1000 }))
const hosted = {
  max_uses: optional(cappedInteger(maxUses)),
  allowed_domains: domains,
  blocked_domains: domains,
}
const search = {
  ...hosted,
  user_location: optional(
    closedObject({
      type: Type.Literal('approximate'),
      city: optional(Type.String()),
      region: optional(Type.String()),
      country: optional(Type.String()),
      timezone: optional(Type.String()),
    }),
  ),
}
const fetched = {
  ...hosted,
  max_content_tokens: optional(cappedInteger(maxPageTokens)),
  citations: optional(CitationsConfig),
}
const vendorSearch = { name: Type.Literal('web_search'), ...search, ...anyTool }
const vendorFetch = {
  name: Type.Literal('web_fetch'),
  ...fetched,
  url_sources: optional(anyObject()),
  ...anyTool,
}
const cached = { use_cache: Type.Optional(Type.Boolean()) }
const inclusion = { response_inclusion: Type.Optional(oneOf('full', 'excluded')) }

const ours = <T extends TProperties>(name: string, fields: T) =>
  closedObject({
    type: Type.Literal(`kherad:${name}`),
    name: Type.Optional(Type.Literal(name)),
    ...fields,
    ...cacheable,
  })

const hostedTools = [
  closedObject({ type: oneOf('web_search_20250305', 'web_search_20260209'), ...vendorSearch }),
  closedObject({ type: Type.Literal('web_search_20260318'), ...vendorSearch, ...inclusion }),
  closedObject({ type: oneOf('web_fetch_20250910', 'web_fetch_20260209'), ...vendorFetch }),
  closedObject({ type: Type.Literal('web_fetch_20260309'), ...vendorFetch, ...cached }),
  closedObject({ type: Type.Literal('web_fetch_20260318'), ...vendorFetch, ...cached, ...inclusion }),
  ours('web_search', search),
  ours('web_fetch', fetched),
  ours('datetime', {}),
  ours('bash', {}),
]

/** A tool that is identified by its type; only the fields that are read here are listed. */
export interface TypedTool {
  type: string
  name?: string
  allowed_callers?: string[]
  max_uses?: number | null
  max_content_tokens?: number | null
  allowed_domains?: string[] | null
  blocked_domains?: string[] | null
  user_location?: { timezone?: string | null } | null
  url_sources?: Record<string, unknown> | null
}

/** A tool of any kind. It is not a plain tagged union, because a custom tool may leave its type out. */
export const Tool = Type.Unsafe<CustomTool | TypedTool>({
  type: 'object',
  if: { required: ['type'], properties: { type: { not: { enum: ['custom', null] } } } },
  // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword.
  then: taggedUnion('type', [...clientTools, ...hostedTools] as TObject[]),
  else: CustomTool,
})
export type Tool = Static<typeof Tool>

export const isCustom = (tool: Tool): tool is CustomTool => 'input_schema' in tool

const parallel = { disable_parallel_tool_use: Type.Optional(Type.Boolean()) }
export const ToolChoice = taggedUnion('type', [
  closedObject({ type: Type.Literal('auto'), ...parallel }),
  closedObject({ type: Type.Literal('any'), ...parallel }),
  closedObject({ type: Type.Literal('tool'), name: Type.String(), ...parallel }),
  closedObject({ type: Type.Literal('none') }),
])

nameSchemas({ CustomTool, MessagesTool: Tool, MessagesToolChoice: ToolChoice })
