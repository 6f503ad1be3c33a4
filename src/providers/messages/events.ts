import { UpstreamError } from '#core/spec'
import type { AnswerPart, FinishReason, WireExtra } from '#core/turn'
import { exactly } from '#platform/json'
import {
  type AnswerReader,
  type EventProgress,
  faultOfError,
  isRecord,
  type ReasoningMark,
} from '#providers/kit'
import { ContentBlocks } from './content.ts'
import { markedEvent } from './marks.ts'
import { mergeUsage, readUsage } from './usage.ts'

export interface ReaderOptions {
  /** Secrets of the upstream, masked in every error. */
  secrets: readonly string[]
  mark: ReasoningMark
  /** The call went without the thinking that it asked for. */
  skipsThinking: boolean
}

/** Reads the events of one answer into neutral parts. The first part of every event carries the whole event as `extra`. */
export class EventReader implements AnswerReader {
  finished = false
  closed = false
  readonly content = new ContentBlocks()
  readonly #options: ReaderOptions
  #started = false
  #usage: Record<string, unknown> | undefined
  /** Prompt tokens are reported when the answer begins, output tokens when it ends. */
  #outputCounted = false

  constructor(options: ReaderOptions) {
    this.#options = options
  }

  read(received: Record<string, unknown>, name: string, parts: AnswerPart[], text: string): EventProgress {
    // Some gateways send the type only as the event's name, or an error without its envelope.
    const type = name === 'error' || received['error'] ? 'error' : (received['type'] ?? name)
    if (type === 'error') throw faultOfError(received, this.#options.secrets)
    // Sent while the model thinks without output: not a token, but a sign of life.
    if (type === 'ping') return 'life'
    if (type === 'content_block_stop') this.#markUnsigned(received['index'], parts)
    const event = markedEvent(received, this.#options.mark)
    const from = parts.length
    const eventProgress = this.#readEvent(type, event, parts)
    const passed = markedEvent(exactly(received), this.#options.mark)
    const line = event === received ? text : JSON.stringify(passed)
    const extra: WireExtra = { wire: 'messages', event: passed, text: line }
    const first = parts[from]
    if (first) first.extra = extra
    else parts.push({ type: 'extra', extra })
    return eventProgress
  }

  /** Gives a block of thinking that this vendor does not sign its mark as a signature, by which it is known when it comes back. */
  #markUnsigned(index: unknown, parts: AnswerPart[]): void {
    const signature = this.#options.mark.unsigned
    if (signature === undefined || !this.content.isUnsigned(index)) return
    const event = { type: 'content_block_delta', index, delta: { type: 'signature_delta', signature } }
    this.content.delta(index, event.delta, parts)
    parts.push({ type: 'extra', extra: { wire: 'messages', event, text: JSON.stringify(event) } })
  }

  #readEvent(type: unknown, event: Record<string, unknown>, parts: AnswerPart[]): EventProgress {
    if (!this.#started) this.start(type === 'message_start' ? event['message'] : undefined, parts)
    switch (type) {
      case 'content_block_delta':
        this.content.delta(event['index'], event['delta'], parts)
        return 'token'
      case 'content_block_start':
        this.content.start(event['index'], event['content_block'], parts)
        // During hidden thinking and tools at the upstream, only these events come for a long time.
        return 'token'
      case 'content_block_stop':
        this.content.stop(event['index'], parts)
        return 'life'
      case 'message_delta':
        this.finish(event['delta'], event['usage'], parts)
        return 'life'
      case 'message_stop':
        this.closed = true
    }
    return 'life'
  }

  close(): void {
    this.closed = true
  }

  start(message: unknown, parts: AnswerPart[]): void {
    this.#started = true
    const { id, model, usage } = isRecord(message) ? message : {}
    this.#usage = mergeUsage(this.#usage, usage)
    parts.push({
      type: 'start',
      ...(typeof id === 'string' && id !== '' && { upstreamId: id }),
      ...(typeof model === 'string' && model !== '' && { upstreamModel: model }),
      ...(this.#options.skipsThinking && { skipsReasoning: true }),
    })
  }

  /** An event about the whole message: its finish reason, and the usage so far. */
  finish(delta: unknown, usage: unknown, parts: AnswerPart[]): void {
    if (isRecord(usage)) {
      this.#usage = mergeUsage(this.#usage, usage)
      this.#outputCounted ||= typeof usage['output_tokens'] === 'number'
    }
    const {
      stop_reason: reason,
      stop_sequence: sequence,
      stop_details: details,
    } = isRecord(delta) ? delta : {}
    if (this.finished || typeof reason !== 'string' || reason === '') return
    this.finished = true
    this.content.stopAll(parts)
    const explanation = reason === 'refusal' && isRecord(details) ? details['explanation'] : undefined
    if (typeof explanation === 'string' && explanation !== '')
      parts.push({ type: 'refusal', text: explanation })
    parts.push({
      type: 'finish',
      reason: finishOf(reason, this.content.calls),
      ...(typeof sequence === 'string' && { stopSequence: sequence }),
    })
  }

  /** Usage is yielded even for a truncated answer, since the upstream counted it; then the truncation is thrown. */
  *end(): Generator<AnswerPart, void, undefined> {
    yield* this.usageSoFar()
    if (!this.finished) throw new UpstreamError('cut', { detail: 'the answer ended without a stop reason' })
  }

  *usageSoFar(): Generator<AnswerPart, void, undefined> {
    const usage = readUsage(this.#usage, this.content.searches)
    if (!usage || !this.#usage) return
    yield { type: 'usage', usage, raw: this.#usage, ...(!this.#outputCounted && { promptOnly: true }) }
  }
}

function finishOf(reason: string, calls: number): FinishReason {
  switch (reason) {
    case 'stop_sequence':
      return 'stop'
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length'
    // Some servers end with it although they call nothing, at which clients wait for a call or ask again and again.
    case 'tool_use':
      return calls > 0 ? 'tool_calls' : 'stop'
    case 'refusal':
      return 'content_filter'
    case 'pause_turn':
    case 'compaction':
      return 'pause'
    // Also `end_turn` and unknown reasons. Some servers send `end_turn` although the answer is a tool call.
    default:
      return calls > 0 ? 'tool_calls' : 'stop'
  }
}
