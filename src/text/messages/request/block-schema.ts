/** The content blocks of the messages wire: contract section 4 and the list of notes on its clients. Unknown fields are refused. */
import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import { anyTypeAs, heifTypes, mediaTypeField } from '#core/media'
import { anyObject, closed, nameSchemas, nullable, oneOf, taggedUnion } from '#platform/schema'

/** A field that may be left out or null. */
export const optional = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema))

/** An object that has these fields and no others. */
export const closedObject = <T extends TProperties>(fields: T) => Type.Object(fields, closed)

/** Text, or a list of blocks. */
export const textOr = <T extends TSchema>(block: T) =>
  Type.Unsafe<string | Static<T>[]>({ type: ['string', 'array'], items: block })

export const CacheControl = closedObject({
  type: Type.Literal('ephemeral'),
  ttl: Type.Optional(oneOf('5m', '1h')),
})
export const cacheable = { cache_control: optional(CacheControl) }

export const CitationsConfig = closedObject({ enabled: Type.Optional(Type.Boolean()) })

const place = Type.Integer({ minimum: 0 })
const cited = { cited_text: Type.String() }
const inDocument = {
  ...cited,
  document_index: place,
  document_title: optional(Type.String()),
  // Answers contain this field, and clients send answers back; file ids are not issued here.
  file_id: Type.Optional(Type.Null()),
}
const inBlocks = { start_block_index: place, end_block_index: place }

const Citation = taggedUnion('type', [
  closedObject({
    type: Type.Literal('char_location'),
    ...inDocument,
    start_char_index: place,
    end_char_index: place,
  }),
  closedObject({
    type: Type.Literal('page_location'),
    ...inDocument,
    start_page_number: place,
    end_page_number: place,
  }),
  closedObject({ type: Type.Literal('content_block_location'), ...inDocument, ...inBlocks }),
  closedObject({
    type: Type.Literal('search_result_location'),
    ...cited,
    ...inBlocks,
    search_result_index: place,
    source: Type.String(),
    title: optional(Type.String()),
  }),
  closedObject({
    type: Type.Literal('web_search_result_location'),
    ...cited,
    url: Type.String(),
    title: optional(Type.String()),
    encrypted_index: Type.String(),
  }),
])

export const TextBlock = closedObject({
  type: Type.Literal('text'),
  text: Type.String(),
  citations: optional(Type.Array(Citation)),
  ...cacheable,
})
export type TextBlock = Static<typeof TextBlock>
/** Only text blocks. It is a union of one, so that a refusal names the field `type`. */
export const OnlyText = taggedUnion('type', [TextBlock])

const LinkSource = closedObject({
  type: Type.Literal('url'),
  url: Type.String({
    maxLength: 8192,
    description: 'An HTTPS link.',
    'x-description-fa': 'پیوند HTTPS.',
  }),
})
export type LinkSource = Static<typeof LinkSource>

const base64 = Type.String({
  description: 'Raw Base64, at most 2,800,000 characters.',
  'x-description-fa': 'Base64 خام، حداکثر ۲٬۸۰۰٬۰۰۰ کاراکتر.',
})

/** What telephones send is refused by its bytes, whose type the refusal names; the bytes also decide where the sender knows no type. */
const asJpeg = {
  ...Object.fromEntries(heifTypes.map((type) => [type, 'image/jpeg' as const])),
  ...anyTypeAs('image/jpeg'),
}
const asPdf = anyTypeAs('application/pdf')

export const ImageBlock = closedObject({
  type: Type.Literal('image'),
  source: taggedUnion('type', [
    closedObject({
      type: Type.Literal('base64'),
      media_type: mediaTypeField(['image/jpeg', 'image/png', 'image/gif', 'image/webp'], asJpeg),
      data: base64,
    }),
    LinkSource,
  ]),
  transformations: optional(closedObject({ oversized_image: Type.Optional(oneOf('downsize', 'error')) })),
  ...cacheable,
})
export type ImageBlock = Static<typeof ImageBlock>

export const DocumentBlock = closedObject({
  type: Type.Literal('document'),
  source: taggedUnion('type', [
    closedObject({
      type: Type.Literal('base64'),
      media_type: mediaTypeField(['application/pdf'], asPdf),
      data: base64,
    }),
    closedObject({
      type: Type.Literal('text'),
      media_type: mediaTypeField(['text/plain']),
      data: Type.String(),
    }),
    closedObject({
      type: Type.Literal('content'),
      content: textOr(taggedUnion('type', [TextBlock, ImageBlock])),
    }),
    LinkSource,
  ]),
  title: optional(Type.String()),
  context: optional(Type.String()),
  citations: optional(CitationsConfig),
  ...cacheable,
})
export type DocumentBlock = Static<typeof DocumentBlock>

const SearchResultBlock = closedObject({
  type: Type.Literal('search_result'),
  source: Type.String(),
  title: Type.String(),
  content: Type.Array(OnlyText),
  citations: optional(CitationsConfig),
  ...cacheable,
})
export type SearchResultBlock = Static<typeof SearchResultBlock>

const id = Type.String({ minLength: 1, maxLength: 200 })
const ToolReferenceBlock = closedObject({ type: Type.Literal('tool_reference'), tool_name: id, ...cacheable })

const ToolResultBlock = closedObject({
  type: Type.Literal('tool_result'),
  tool_use_id: id,
  content: Type.Optional(
    textOr(
      taggedUnion('type', [TextBlock, ImageBlock, DocumentBlock, SearchResultBlock, ToolReferenceBlock]),
    ),
  ),
  is_error: optional(Type.Boolean()),
  toolset_name: optional(Type.String()),
  ...cacheable,
})
export type ToolResultBlock = Static<typeof ToolResultBlock>

const Caller = taggedUnion('type', [
  closedObject({ type: Type.Literal('direct') }),
  closedObject({ type: oneOf('code_execution_20250825', 'code_execution_20260120'), tool_id: id }),
])
const call = { id, name: id, input: anyObject(), caller: Type.Optional(Caller), ...cacheable }

const ToolUseBlock = closedObject({
  type: Type.Literal('tool_use'),
  toolset_name: optional(Type.String()),
  ...call,
})
export type ToolUseBlock = Static<typeof ToolUseBlock>

const ThinkingBlock = closedObject({
  type: Type.Literal('thinking'),
  thinking: Type.String(),
  signature: Type.String(),
})
const RedactedThinkingBlock = closedObject({ type: Type.Literal('redacted_thinking'), data: Type.String() })

const ServerToolUseBlock = closedObject({ type: Type.Literal('server_tool_use'), ...call })
export type ServerToolUseBlock = Static<typeof ServerToolUseBlock>
/** Results of tools that a service ran. A vendor's result is sent back to that vendor unchanged, so the schema leaves its content open. */
const ServerResultBlock = closedObject({
  type: oneOf(
    'web_search_tool_result',
    'web_fetch_tool_result',
    'code_execution_tool_result',
    'bash_code_execution_tool_result',
    'text_editor_code_execution_tool_result',
    'tool_search_tool_result',
  ),
  tool_use_id: id,
  content: Type.Unsafe<unknown>({ type: ['array', 'object'] }),
  caller: Type.Optional(Caller),
  ...cacheable,
})
export type ServerResultBlock = Static<typeof ServerResultBlock>

/** The summary by which an upstream has replaced an earlier part of the conversation. */
const CompactionBlock = closedObject({
  type: Type.Literal('compaction'),
  content: optional(Type.String()),
  encrypted_content: optional(Type.String()),
  signature: optional(Type.String()),
  tool_changes: optional(Type.Array(anyObject(), { maxItems: 1000 })),
  ...cacheable,
})
export type CompactionBlock = Static<typeof CompactionBlock>

export const UserBlock = taggedUnion('type', [
  TextBlock,
  ImageBlock,
  DocumentBlock,
  SearchResultBlock,
  ToolResultBlock,
])
export type UserBlock = Static<typeof UserBlock>

export const AssistantBlock = taggedUnion('type', [
  TextBlock,
  ThinkingBlock,
  RedactedThinkingBlock,
  ToolUseBlock,
  ServerToolUseBlock,
  ServerResultBlock,
  DocumentBlock,
  CompactionBlock,
])
export type AssistantBlock = Static<typeof AssistantBlock>

nameSchemas({
  AssistantBlock,
  CacheControl,
  Citation,
  CompactionBlock,
  DocumentBlock,
  ImageBlock,
  SearchResultBlock,
  ServerToolUseBlock,
  TextBlock,
  ToolResultBlock,
  ToolUseBlock,
  UserBlock,
})
