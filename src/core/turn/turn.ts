/**
 * The neutral model between the text wires, and the other types that core and the providers share. A server codec (such as `text/chat`) parses its
 * wire into a `Turn`; a provider answers a `Turn` with a stream of `AnswerPart`s; the server codec writes those out in its own wire. Types only:
 * nothing here knows HTTP, a vendor or another room.
 */
import type { Message } from './message.ts'
import type { CitableSource, ToolName } from './tool-result.ts'

export type {
  AudioOrder,
  AudioQuestion,
  SoundEncoding,
  SoundFormat,
  SoundSink,
  SpokenLine,
} from './audio-order.ts'
export type {
  DrawnFormat,
  ImageBackground,
  ImageFormat,
  ImageOption,
  ImageOrder,
  ImageQuality,
  PixelSize,
} from './image-order.ts'
export type { Document, Media, Message, MessageContent, OpaqueContent, ToolCall } from './message.ts'
export type { AnswerPart, Bill, Citation, FinishReason, Usage, WireExtra } from './part.ts'
export type {
  BuiltInTool,
  CitableSource,
  Execution,
  ToolError,
  ToolFailure,
  ToolName,
  ToolResult,
  ToolSuccess,
} from './tool-result.ts'
export type {
  RecordedSound,
  SegmentDetails,
  SoundBytes,
  SpokenSegment,
  SpokenWord,
  Timestamps,
  TranscriptionOrder,
} from './transcription-order.ts'
export type { ReferenceMode, VideoOrder, VideoResolution } from './video-order.ts'

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

/** A hosted tool: the platform runs it while the model answers (`core/tools`). */
export interface HostedToolEntry {
  tool: ToolName
  /** The name that the model calls; unique among the tools of the turn. */
  name: string
  /** Path in the caller's request body, named in validation errors. */
  param: string
  /** The most uses in one request, 1 to 5; a further use returns `max_uses_exceeded` to the model. */
  maxUses?: number
  /** The most tokens of a fetched page. */
  maxContentTokens?: number
  allowedDomains?: readonly string[]
  blockedDomains?: readonly string[]
  /** Time zone of dates when the model names none. Default: Asia/Tehran. */
  timeZone?: string
}

export interface HostedToolSet {
  tools: HostedToolEntry[]
  /** Sources found before the model call and included in the messages, numbered from 1: the answer may cite them as `[1]`. */
  found?: readonly CitableSource[]
  /** The text whose addresses a fetch may open, beside what searches and pages show; when absent, all that the messages say, but for the model's own. */
  openable?: string
  /** Total uses of all tools; when absent only the limit of each tool applies. */
  maxUses?: number
  /**
   * What happens after the fifth step: `pause` ends the answer so that the caller may continue by sending it back, `answer` calls
   * the model once more without tools.
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

/** One request to a text model, independent of the wire it arrived on. */
export interface Turn {
  messages: Message[]
  tools: Tool[]
  /** Hosted tools; absent when there are none. */
  hosted?: HostedToolSet
  toolChoice: ToolChoice
  /** Whether the model may call several tools at once; absent where the caller did not say, so that the vendor's own default holds. */
  parallelToolCalls?: boolean
  output: OutputFormat
  /** Length of the answer: low, medium or high. Two of the wires have this setting, the third does not. */
  verbosity?: string
  /** The limit that the caller set; absent when the caller set none. */
  requestedOutputTokens?: number
  /** The wire's default for callers who set no limit, bounded by model and balance; when absent only those bound it. */
  defaultOutputTokens?: number
  /** The limit sent upstream, in tokens: requested, allowed by the model and covered by the hold. Always set before a provider sees the turn. */
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
  /** The first requested feature that only the source's wire can express; when set, only upstreams of that wire are called. */
  sourceWireOnly?: { param: string; what: string }
  /** Maximum number of web searches that the upstream may run itself. */
  upstreamSearches?: number
  /** Maximum number of uses of the upstream's own tools; after each one it reads the entire prompt again. */
  upstreamRounds?: number
  /** The upstream may summarize (compact) a long conversation first, which costs one more prompt and one more output. */
  compacts?: boolean
  /** Bytes of text that are passed through to an upstream of the same wire and appear in none of the fields above. */
  passthroughBytes?: number
  /**
   * The body as received, so that an upstream of the same wire gets every field unchanged. Absent once the fields above differ
   * from it: then the request is serialized again for every wire.
   */
  source: { wire: Wire; body?: Record<string, unknown> }
}
