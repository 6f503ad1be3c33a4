/**
 * The neutral model between the text wires, and what else the rooms of the engine and the providers tell each other. A server codec
 * (`capabilities/chat`) parses its wire into a `Turn`; a provider answers a `Turn` with a stream of `Part`s; the server codec writes
 * those out in its own wire. Types only: nothing here knows HTTP, a vendor or another room.
 */
import type { Message } from './message.ts'
import type { Source, ToolName } from './tool-result.ts'

export type { ImageBackground, ImageFormat, ImageOrder, ImageQuality, PixelSize } from './image-order.ts'
export type { Content, Document, Media, Message, Opaque, ToolCall } from './message.ts'
export type { Bill, Citation, Extra, FinishReason, Part, Usage } from './part.ts'
export type {
  BuiltIn,
  Done,
  Execution,
  Failed,
  Source,
  ToolError,
  ToolName,
  ToolResult,
} from './tool-result.ts'

/** The three text wires. */
export type Wire = 'chat' | 'responses' | 'messages'

export type Modality = 'text' | 'image' | 'audio' | 'video' | 'file'

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
  defaultOutputTokens?: number
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
