import type { Wire } from './turn.ts'

/** Inline or linked media with its measured properties (see `core/media`); sizes in bytes, times in seconds. */
export interface Media {
  /** Raw bytes, absent only for a link that is passed on to the upstream. */
  data?: Uint8Array
  url?: string
  /** The real type by its magic bytes, for example `image/png`; for a link the type is not known. */
  mediaType?: string
  width?: number
  height?: number
  durationSeconds?: number
  /** The pages of a PDF. */
  pages?: number
  /** The pages were not counted: `pages` is an upper bound. */
  pagesGuessed?: true
  /** Path in the caller's request body, named in validation errors. */
  param?: string
}

export type MessageContent =
  | { type: 'text'; text: string }
  | { type: 'image'; media: Media; detail?: string }
  | { type: 'audio'; media: Media }
  | { type: 'video'; media: Media }
  | Document
  | { type: 'reasoning'; text: string; opaque?: OpaqueContent }

/** A document to read: a PDF, plain text, or parts of text and images. */
export type Document = { type: 'document'; title?: string; context?: string; citations: boolean } & (
  | { media: Media }
  | { parts: MessageContent[] }
)

/** Vendor-private model output (such as encrypted reasoning): sent back unchanged on the same wire, unreadable to every other. */
export interface OpaqueContent {
  wire: Wire
  /** Signature over the reasoning text. */
  signature?: string
  /** Redacted or encrypted reasoning, readable only by the vendor. */
  data?: string
  id?: string
}

export interface ToolCall {
  id: string
  name: string
  /** The arguments as the model wrote them: JSON text, not parsed. */
  arguments: string
}

export interface Message {
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool'
  content: MessageContent[]
  name?: string
  refusal?: string
  toolCalls?: ToolCall[]
  /** On a `tool` message: the call that the message answers. */
  toolCallId?: string
  /** On a `tool` message: the tool failed; the content is the error message. */
  isError?: boolean
}
