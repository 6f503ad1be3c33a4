import type { Opaque } from './message.ts'
import type { ToolName, ToolResult } from './tool-result.ts'
import type { Wire } from './turn.ts'

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

/** What an answer used, and what its receipt will say that it was charged. */
export interface Bill {
  usage: Usage
  microcredits: bigint
}

/** `pause`: tools that run at the service have used up their steps, and the caller may go on by sending the answer back. */
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
