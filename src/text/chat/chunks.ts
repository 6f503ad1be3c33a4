/** Parts → chat.completion.chunk events: one role, stable ids, contiguous indices, one finish reason. */
import type { EventAnswer, SentEvent } from '#core/text'
import type { AnswerPart, Bill, FinishReason, WireExtra } from '#core/turn'
import type { ErrorBody } from '#platform/errors'
import {
  type CallExtras,
  type CompletionHeading,
  reasoningFields,
  usageOf,
  visibleFields,
} from './completion.ts'
import { ReasoningBlocks } from './reasoning-details.ts'

const nothing: readonly SentEvent[] = []

export class ChatChunks implements EventAnswer {
  readonly #heading: () => CompletionHeading
  readonly #showReasoning: boolean
  readonly #withUsage: boolean
  readonly #reasoning = new ReasoningBlocks()
  #opened = false
  #headOf = { model: '', text: '' }
  #rawUsage: Record<string, unknown> | undefined
  #finish: FinishReason | undefined

  /** `heading` is called for each chunk: the answering model is known only with the first part, and another model may continue an answer that was cut off. */
  constructor(heading: () => CompletionHeading, options: { showReasoning: boolean; withUsage: boolean }) {
    this.#heading = heading
    this.#showReasoning = options.showReasoning
    this.#withUsage = options.withUsage
  }

  eventsFor(part: AnswerPart): readonly SentEvent[] {
    if (part.type === 'finish') this.#finish = part.reason
    if (part.type === 'usage') this.#rawUsage = part.raw
    const delta = this.#deltaOf(part)
    const extra = part.extra?.wire === 'chat' ? part.extra : undefined
    if (!extra) return delta ? [this.#chunk(delta, null)] : nothing
    const unknown = visibleFields(extra.delta, this.#showReasoning)
    if (!delta && !unknown && !extra.choice && !extra.chunk) return nothing
    return [this.#chunk(unknown ? merged(unknown, delta) : (delta ?? {}), null, extra)]
  }

  /** Returns exactly one finish reason, in a separate chunk; then the usage, in a chunk without choices. */
  end(bill: Bill): readonly SentEvent[] {
    const last = this.#chunk({}, this.#finish ?? 'stop')
    return this.#withUsage ? [last, this.#usage(bill), '[DONE]'] : [last, '[DONE]']
  }

  /** The error event of the chat wire, in which `param` is always present. */
  failed(error: ErrorBody['error']): readonly SentEvent[] {
    return [JSON.stringify({ error: { ...error, param: error.param ?? null } }), '[DONE]']
  }

  #usage(bill: Bill): string {
    return `{${this.#head}"choices":[],"usage":${JSON.stringify(usageOf(bill, this.#rawUsage))}}`
  }

  #deltaOf(part: AnswerPart): Record<string, unknown> | undefined {
    switch (part.type) {
      case 'text':
        return { content: part.text }
      case 'refusal':
        return { refusal: part.text }
      case 'reasoning':
        return this.#showReasoning ? this.#reasoningDelta(part) : undefined
      case 'reasoning-end': {
        const detail = this.#reasoning.end(part.opaque)
        return this.#showReasoning && detail ? { reasoning_details: [detail] } : undefined
      }
      case 'tool-call':
        return {
          tool_calls: [
            {
              index: part.index,
              id: part.id,
              type: 'function',
              function: { name: part.name, arguments: '' },
            },
          ],
        }
      case 'tool-arguments':
        return { tool_calls: [{ index: part.index, function: { arguments: part.delta } }] }
      default:
        return undefined
    }
  }

  #reasoningDelta({ text, details }: Extract<AnswerPart, { type: 'reasoning' }>): Record<string, unknown> {
    const own = text === '' ? [] : [this.#reasoning.text(text)]
    return reasoningFields(text, details?.length ? details : own)
  }

  /** Builds a chunk from strings, so that the fields that are the same in every chunk are serialized once. */
  #chunk(delta: Record<string, unknown>, finish: FinishReason | null, extra?: WireExtra): string {
    // If the first delta is not text, its content is null: an empty string would turn "no text" into an empty text.
    const wasOpened = this.#opened
      ? delta
      : { role: 'assistant', content: finish || 'content' in delta ? '' : null, ...delta }
    this.#opened = true
    const choice = extra?.choice ? fieldsOf({ logprobs: null, ...extra.choice }) : '"logprobs":null,'
    const chunk = extra?.chunk ? fieldsOf(extra.chunk) : ''
    const usage = this.#withUsage ? ',"usage":null' : ''
    return `{${chunk}${this.#head}"choices":[{${choice}"index":0,"delta":${JSON.stringify(wasOpened)},"finish_reason":${JSON.stringify(finish)}}]${usage}}`
  }

  /** The fields of every chunk, serialized again only when another model continues the answer. */
  get #head(): string {
    const { id, created, model } = this.#heading()
    if (model !== this.#headOf.model)
      this.#headOf = { model, text: fieldsOf({ id, object: 'chat.completion.chunk', created, model }) }
    return this.#headOf.text
  }
}

/** The fields of an object as JSON text, each followed by a comma. */
function fieldsOf(object: Record<string, unknown>): string {
  const text = JSON.stringify(object)
  return text === '{}' ? '' : `${text.slice(1, -1)},`
}

/** Merges unknown fields with ours, which take precedence; tool calls are merged one by one, so that vendors' fields on them survive. */
function merged(
  extra: Record<string, unknown>,
  delta: Record<string, unknown> | undefined,
): Record<string, unknown> {
  const calls = delta?.['tool_calls'] as CallExtras | undefined
  const extras = extra['tool_calls'] as CallExtras | undefined
  if (!calls || !extras) return { ...extra, ...delta }
  const joined = calls.map((call) => ({ ...extras.find(({ index }) => index === call.index), ...call }))
  const others = extras.filter(({ index }) => !calls.some((call) => call.index === index))
  return { ...extra, ...delta, tool_calls: [...joined, ...others] }
}
