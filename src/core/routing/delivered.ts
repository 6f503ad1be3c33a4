import type { AnswerPart, Turn } from '#core/turn'

/** True for the parts delivered to the caller as the answer; reasoning only if the caller requested it. */
export function isVisible(part: AnswerPart, showsReasoning: boolean): boolean {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text !== ''
    case 'reasoning':
      return showsReasoning
    default:
      return part.type === 'tool-call' || part.type === 'tool-arguments'
  }
}

/** The part of an answer that was delivered, and the turn that continues it after an interruption. */
export class DeliveredAnswer {
  readonly #showsReasoning: boolean
  #text = ''
  #deltas = 0
  #other = false

  constructor(showsReasoning: boolean) {
    this.#showsReasoning = showsReasoning
  }

  add(part: AnswerPart): void {
    if (part.type === 'text') {
      this.#text += part.text
      this.#deltas++
    } else if (isVisible(part, this.#showsReasoning)) this.#other = true
  }

  /** Whether another model can continue the answer: plain text only, not after a delivered tool call, refusal or reasoning. */
  canBeContinued(turn: Turn): boolean {
    return (
      this.#text !== '' &&
      !this.#other &&
      turn.source.wire === 'chat' &&
      turn.output.type === 'text' &&
      turn.maxOutputTokens > this.#deltas
    )
  }

  /**
   * The turn with the text so far and an instruction to continue. The instruction is a user message: many upstreams refuse a conversation that ends
   * with the assistant.
   */
  continuation(turn: Turn): Turn {
    const delivered = { role: 'assistant' as const, content: [{ type: 'text' as const, text: this.#text }] }
    const order = { role: 'user' as const, content: [{ type: 'text' as const, text: continueInstruction }] }
    return {
      ...turn,
      messages: [...turn.messages, delivered, order],
      maxOutputTokens: turn.maxOutputTokens - this.#deltas,
      source: { ...turn.source, ...(turn.source.body && { body: this.#continued(turn.source.body) }) },
    }
  }

  #continued(body: Record<string, unknown>): Record<string, unknown> {
    const delivered = { role: 'assistant', content: this.#text }
    const order = { role: 'user', content: continueInstruction }
    return { ...body, messages: [...((body['messages'] as unknown[]) ?? []), delivered, order] }
  }
}

const continueInstruction =
  'Your answer above was cut off by a technical fault. Continue it from exactly where it stops, in the same language and style. Do not repeat any of it, do not comment on the interruption.'

/** Maximum tokens that the instruction adds to the prompt, as metering counts bytes and messages. */
export const continuationTokens = Math.ceil((Buffer.byteLength(continueInstruction) + 2 * 32) / 2)
