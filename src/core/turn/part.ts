import type { OpaqueContent } from './message.ts'
import type { ToolName, ToolResult } from './tool-result.ts'
import type { Wire } from './turn.ts'

/** Tokens by kind. `input` counts all prompt tokens, `cachedInput`, `cacheWriteInput` and `mediaInput` are parts of it; `reasoning` is a part of `output`. */
export interface Usage {
  input: number
  cachedInput: number
  cacheWriteInput: number
  /** The part of `cacheWriteInput` that is cached for an hour, which some vendors price separately. */
  cacheWriteHourInput?: number
  /** Audio and video tokens of the prompt. */
  mediaInput: number
  output: number
  reasoning: number
  /** Searches that the upstream ran itself. */
  webSearches?: number
}

/** What an answer used, and the charge that its receipt will show. */
export interface Bill {
  usage: Usage
  microcredits: bigint
}

/** `pause`: hosted tools have reached the step limit; the caller may continue by sending the answer back. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'pause'

/**
 * A web page that supports a passage of the answer. Offsets are in characters of the answer's text (since the last hosted call,
 * if there was one), end exclusive.
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
 * A stream that ends without `finish` was cut off. A reasoning block lasts until another kind of part or its `reasoning-end`.
 */
export type AnswerPart =
  /** `skipsReasoning`: the model answers without the reasoning that was asked for, because earlier reasoning has not come back. */
  (
    | { type: 'start'; upstreamId?: string; upstreamModel?: string; skipsReasoning?: true }
    | { type: 'text'; text: string }
    | { type: 'refusal'; text: string }
    | { type: 'reasoning'; text: string; details?: unknown[] }
    /** One block of reasoning is complete; `opaque` is its signature, or an entire encrypted block. */
    | { type: 'reasoning-end'; opaque?: OpaqueContent }
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
    /** Fields specific to the upstream's wire; a server of the same wire passes them through. */
    extra?: WireExtra
    /** This part was truncated, or generated here, because the answer exceeded the turn's limit: no upstream event corresponds to it. */
    cut?: true
  }

export interface WireExtra {
  wire: Wire
  /** Chat: unknown fields, by the object that contained them. */
  chunk?: Record<string, unknown>
  choice?: Record<string, unknown>
  delta?: Record<string, unknown>
  /** Messages and responses: the entire event that this part was parsed from; set on the first part of that event. */
  event?: Record<string, unknown>
  /** The same event as received, as one line of JSON. */
  text?: string
  /** Messages and responses: the entire response when it was not streamed; set on the `start` part. */
  body?: Record<string, unknown>
}
