/**
 * The neutral model between the text wires. A server codec (`capabilities/chat`) parses its wire into a `Turn`;
 * a provider answers a `Turn` with a stream of `Part`s; the server codec writes those out in its own wire.
 * Nothing here knows HTTP or a vendor.
 */

import type { Source, ToolName, ToolResult } from '#engine/tools'

/** The three text wires. */
export type Wire = 'chat' | 'responses' | 'messages'

export type Modality = 'text' | 'image' | 'audio' | 'video' | 'file'

/** Inline or linked media with its measured properties (see `engine/media`); sizes in bytes, times in seconds. */
export interface Media {
  /** Raw bytes, absent only for a link that is passed on to the upstream. */
  data?: Uint8Array
  url?: string
  /** The real type by its magic bytes, for example `image/png`; for a link the type is not known. */
  mediaType?: string
  width?: number
  height?: number
  durationSeconds?: number
  /** Of a PDF. */
  pages?: number
  /** Nobody has counted them: `pages` is the most that they can be. */
  pagesGuessed?: true
  /** Place in the caller's body, for a refusal. */
  param?: string
}

export type Content =
  | { type: 'text'; text: string }
  | { type: 'image'; media: Media; detail?: string }
  | { type: 'audio'; media: Media }
  | { type: 'video'; media: Media }
  | Document
  | { type: 'reasoning'; text: string; opaque?: Opaque }

/** A document to read: a PDF, plain text, or parts of text and images. */
export type Document = { type: 'document'; title?: string; context?: string; citations: boolean } & (
  | { media: Media }
  | { parts: Content[] }
)

/** What a vendor's model has written for itself; its own wire takes it back unchanged, no other understands it. */
export interface Opaque {
  wire: Wire
  /** Seals the text beside it. */
  signature?: string
  /** Reasoning that nobody but its maker can read: redacted or encrypted. */
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
  content: Content[]
  name?: string
  refusal?: string
  toolCalls?: ToolCall[]
  /** On a `tool` message: the call that this answers. */
  toolCallId?: string
  /** On a `tool` message: the tool failed, and the content says how. */
  isError?: boolean
}

export interface Tool {
  name: string
  description?: string
  /** JSON Schema of the arguments. */
  parameters: Record<string, unknown>
  strict?: boolean
}

/** A tool that runs at the service while the model answers (`engine/tools`). */
export interface HostedUse {
  tool: ToolName
  /** As the model calls it; no other tool of the turn has this name. */
  name: string
  /** Place in the caller's body, for a refusal. */
  param: string
  /** Uses in one request, 1 to 5; one more is told to the model as `max_uses_exceeded`. */
  maxUses?: number
  /** Of a fetched page. */
  maxContentTokens?: number
  allowedDomains?: readonly string[]
  blockedDomains?: readonly string[]
  /** Of dates, where the model names no other; Asia/Tehran unless said otherwise. */
  timeZone?: string
}

export interface Hosted {
  tools: HostedUse[]
  /** What was found before the model was asked and stands in the messages, numbered from 1: the answer may cite it as `[1]`. */
  found?: readonly Source[]
  /** Uses of all of them together; absent where each has its own bound alone. */
  maxUses?: number
  /**
   * What follows the fifth step: `pause` ends the answer so that the caller may go on by sending it back, `answer` asks the
   * model once without tools.
   */
  atLimit: 'pause' | 'answer'
}

export type ToolChoice =
  | { type: 'auto' }
  | { type: 'none' }
  | { type: 'required' }
  | { type: 'tool'; name: string }

export type OutputFormat =
  | { type: 'text' }
  | { type: 'json_object' }
  | { type: 'json_schema'; name: string; schema: Record<string, unknown>; strict: boolean }

export interface Reasoning {
  enabled: boolean
  effort?: string
  maxTokens?: number
}

/** One question to a text model, whatever wire it came by. */
export interface Turn {
  messages: Message[]
  tools: Tool[]
  /** Tools beside `tools` that run here; absent where there are none. */
  hosted?: Hosted
  toolChoice: ToolChoice
  parallelToolCalls: boolean
  output: OutputFormat
  /** How much is said: low, medium or high in the words of two of the wires; the third has none for it. */
  verbosity?: string
  /** What the caller asked for; absent when the caller named no limit. */
  requestedOutputTokens?: number
  /** What the wire gives to a caller who names no limit, as far as model and balance allow; absent where that is all they allow. */
  usualOutputTokens?: number
  /** What is sent upstream: asked for, allowed by the model and paid for, in tokens. Always set before a provider sees the turn. */
  maxOutputTokens: number
  stop: string[]
  temperature?: number
  topP?: number
  topK?: number
  seed?: number
  frequencyPenalty?: number
  presencePenalty?: number
  repetitionPenalty?: number
  reasoning?: Reasoning
  stream: boolean
  /** The first thing asked for that no other wire than the source's can carry; only upstreams of that wire are asked then. */
  onlyOwnWire?: { param: string; what: string }
  /** Searches that the upstream may run itself, at most. */
  upstreamSearches?: number
  /** Uses of tools of its own that the upstream may make, after each of which it reads the whole prompt anew. */
  upstreamRounds?: number
  /** The upstream may sum up a long conversation first: one more reading, one more answer. */
  sumsUp?: boolean
  /** Bytes of text that reach an upstream of the same wire and stand in none of the fields above. */
  unreadBytes?: number
  /**
   * The body as it came in, so that an upstream of the same wire gets every field unchanged. Absent once the fields above say
   * more than it: then they are written anew for every wire.
   */
  source: { wire: Wire; body?: Record<string, unknown> }
}

/** Tokens by kind. `input` counts all prompt tokens, `cachedInput`, `cacheWriteInput` and `mediaInput` are parts of it; `reasoning` is a part of `output`. */
export interface Usage {
  input: number
  cachedInput: number
  cacheWriteInput: number
  /** The part of `cacheWriteInput` that is kept for an hour, which some vendors price apart. */
  cacheWriteHourInput?: number
  /** Audio and video tokens of the prompt. */
  mediaInput: number
  output: number
  reasoning: number
  /** Searches that the upstream ran itself. */
  webSearches?: number
}

/** `pause`: tools that run at the service have used up their steps, and the caller may go on by sending the answer back. */
/** What an answer used, and what its receipt will say that it was charged. */
export interface Bill {
  usage: Usage
  microcredits: bigint
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'pause'

/**
 * A web page that a passage of the answer rests on; places are counted in characters of the answer's text (since the last
 * hosted call, where there was one), end exclusive.
 */
export interface Citation {
  url: string
  title: string
  start?: number
  end?: number
  citedText?: string
}

/**
 * One piece of an answer. Order: `start` first, then deltas, `finish` once, `usage` once (before or after `finish`).
 * A stream that ends without `finish` was cut. Reasoning goes on until another kind of part or its `reasoning-end`.
 */
export type Part = (
  | { type: 'start'; upstreamId?: string; upstreamModel?: string }
  | { type: 'text'; text: string }
  | { type: 'refusal'; text: string }
  | { type: 'reasoning'; text: string; details?: unknown[] }
  /** One block of reasoning is whole; `opaque` is its seal, or a whole block that nobody can read. */
  | { type: 'reasoning-end'; opaque?: Opaque }
  | { type: 'citation'; citation: Citation }
  | { type: 'tool-call'; index: number; id: string; name: string }
  | { type: 'tool-arguments'; index: number; delta: string }
  /** The model calls a tool that runs here; `input` is its parsed arguments. Its result follows, maybe after other calls. */
  | { type: 'hosted-call'; id: string; tool: ToolName; name: string; input: unknown }
  | { type: 'hosted-result'; id: string; tool: ToolName; name: string; result: ToolResult }
  | { type: 'finish'; reason: FinishReason; stopSequence?: string }
  /** `promptOnly`: the answer broke off before its own tokens were counted; `output` is what was known at its beginning. */
  | { type: 'usage'; usage: Usage; raw?: Record<string, unknown>; promptOnly?: true }
  | { type: 'extra' }
) & {
  /** What only the wire of the upstream knows; a server of the same wire passes it on. */
  extra?: Extra
  /** What the limit of the turn left of an answer that ran past it, and its end: no event of the upstream tells it so. */
  cut?: true
}

export interface Extra {
  wire: Wire
  /** Chat: unknown fields, by the place where they stood. */
  chunk?: Record<string, unknown>
  choice?: Record<string, unknown>
  delta?: Record<string, unknown>
  /** Messages and responses: the whole event that this part was read from. It stands on the first of its parts. */
  event?: Record<string, unknown>
  /** That event as it came, in one line of JSON. */
  text?: string
  /** Messages and responses: the whole answer, where it was not streamed. It stands on the `start`. */
  body?: Record<string, unknown>
}

export {
  boundTurn,
  type CallAsk,
  type Called,
  callModel,
  type PlainQuestion,
  questionTurn,
} from './call-model.ts'
export { type PaidAsk, type PaidTurn, servedTurn, startPaidTurn } from './paid-turn.ts'
export { failureOf } from './upstream-failure.ts'
export { upstreamFailures } from './words.ts'
export { worstCaseOf } from './worst-case.ts'
