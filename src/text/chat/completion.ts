/** Parts → one chat.completion object (notes: the shapes that the OpenAI client and similar clients read). */
import { costOf } from '#core/calls'
import type { AnswerPart, Bill, FinishReason } from '#core/turn'
import { addPiece, ReasoningBlocks, type ReasoningDetail } from './reasoning-details.ts'

export interface CompletionHeading {
  id: string
  /** Unix seconds. */
  created: number
  model: string
}

interface CollectedCall {
  id: string
  name: string
  arguments: string
  /** Fields of the upstream beside these, such as a vendor's signature, which the caller has to send back. */
  extra: Record<string, unknown>
}

/** Unknown fields of tool calls, as a delta contains them: with the index of their call. */
export type CallExtras = ({ index: number } & Record<string, unknown>)[]

/** Collects the parts of a whole answer. */
export class CollectedAnswer {
  text: string | null = null
  refusal: string | null = null
  reasoning = ''
  /** The details that a chat vendor sends, as they came. */
  readonly #vendorDetails: unknown[] = []
  readonly #ownDetails: ReasoningDetail[] = []
  readonly #blocks = new ReasoningBlocks()
  readonly calls: CollectedCall[] = []
  finish: FinishReason = 'stop'
  rawUsage: Record<string, unknown> | undefined
  readonly extra = { chunk: {}, choice: {}, delta: {} }
  readonly showReasoning: boolean

  constructor(showReasoning: boolean) {
    this.showReasoning = showReasoning
  }

  add(part: AnswerPart): void {
    if (part.extra?.wire === 'chat') {
      Object.assign(this.extra.chunk, part.extra.chunk)
      Object.assign(this.extra.choice, part.extra.choice)
      const { tool_calls: callExtras, ...delta } = (visibleFields(part.extra.delta, this.showReasoning) ??
        {}) as { tool_calls?: CallExtras }
      Object.assign(this.extra.delta, delta)
      for (const { index, ...fields } of callExtras ?? []) Object.assign(this.#call(index).extra, fields)
    }
    switch (part.type) {
      case 'text':
        this.text = (this.text ?? '') + part.text
        break
      case 'refusal':
        this.refusal = (this.refusal ?? '') + part.text
        break
      case 'reasoning':
        this.reasoning += part.text
        if (part.details) this.#vendorDetails.push(...part.details)
        else if (part.text !== '') addPiece(this.#ownDetails, this.#blocks.text(part.text))
        break
      case 'reasoning-end': {
        const detail = this.#blocks.end(part.opaque)
        if (detail) addPiece(this.#ownDetails, detail)
        break
      }
      case 'tool-call':
        Object.assign(this.#call(part.index), { id: part.id, name: part.name })
        break
      case 'tool-arguments':
        this.#call(part.index).arguments += part.delta
        break
      case 'finish':
        this.finish = part.reason
        break
      case 'usage':
        this.rawUsage = part.raw
        break
      default:
    }
  }

  get reasoningDetails(): readonly unknown[] {
    return this.#vendorDetails.length > 0 ? this.#vendorDetails : this.#ownDetails
  }

  #call(index: number): CollectedCall {
    this.calls[index] ??= { id: '', name: '', arguments: '', extra: {} }
    return this.calls[index]
  }
}

export function completionOf(
  heading: CompletionHeading,
  collected: CollectedAnswer,
  bill: Bill,
): Record<string, unknown> {
  const { calls, extra } = collected
  return {
    ...extra.chunk,
    id: heading.id,
    object: 'chat.completion',
    created: heading.created,
    model: heading.model,
    choices: [
      {
        logprobs: null,
        ...extra.choice,
        index: 0,
        message: {
          annotations: [],
          ...extra.delta,
          role: 'assistant',
          content: collected.text ?? (calls.length > 0 || collected.refusal !== null ? null : ''),
          refusal: collected.refusal,
          ...(calls.length > 0 && {
            tool_calls: calls.map((call) => ({
              ...call.extra,
              id: call.id,
              type: 'function',
              function: { name: call.name, arguments: call.arguments },
            })),
          }),
          ...(collected.showReasoning && reasoningFields(collected.reasoning, collected.reasoningDetails)),
        },
        finish_reason: collected.finish,
      },
    ],
    usage: usageOf(bill, collected.rawUsage),
  }
}

/** Unknown fields of a delta; those that contain the model's reasoning are left out unless the caller asked for reasoning. */
export function visibleFields(
  delta: Record<string, unknown> | undefined,
  showReasoning: boolean,
): Record<string, unknown> | undefined {
  if (!delta || showReasoning) return delta
  const shown = Object.entries(delta).filter(([name]) => !/^(reasoning|thinking|thought)/i.test(name))
  return shown.length === 0 ? undefined : Object.fromEntries(shown)
}

/** The reasoning under the three names that clients read; sent only if the caller asked for it. */
export function reasoningFields(text: string, details: readonly unknown[]): Record<string, unknown> {
  if (text === '' && details.length === 0) return {}
  return { reasoning: text, reasoning_content: text, reasoning_details: details }
}

/** The usage as the upstream reported it, with the figures that were charged in the fields that clients read. */
export function usageOf(
  { usage, microcredits }: Bill,
  raw: Record<string, unknown> | undefined,
): Record<string, unknown> {
  // Usage of another wire is left out: its fields would stand beside ours with other figures, since there a cached token is no input token.
  const own = raw && 'prompt_tokens' in raw ? raw : {}
  // What the operator pays the upstream is not shown to the caller.
  const { cost: _cost, cost_details: _details, is_byok: _byok, ...shown } = own
  return {
    ...shown,
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: {
      ...(own['prompt_tokens_details'] as object),
      cached_tokens: usage.cachedInput,
    },
    completion_tokens_details: {
      ...(own['completion_tokens_details'] as object),
      reasoning_tokens: usage.reasoning,
    },
    ...costOf(microcredits),
  }
}
