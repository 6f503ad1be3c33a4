import type { Part, Turn } from '#engine/turn'

/** True for the parts that a caller sees as the answer; reasoning is one of them only where the caller asked for it. */
export function isVisible(part: Part, showsReasoning: boolean): boolean {
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

/** What of an answer has gone out, and how one that was cut there is asked to go on. */
export class Delivered {
  readonly #showsReasoning: boolean
  #text = ''
  #deltas = 0
  #other = false

  constructor(showsReasoning: boolean) {
    this.#showsReasoning = showsReasoning
  }

  add(part: Part): void {
    if (part.type === 'text') {
      this.#text += part.text
      this.#deltas++
    } else if (isVisible(part, this.#showsReasoning)) this.#other = true
  }

  /** Plain text only: a tool call, a refusal or reasoning that went out cannot be gone on with by another model. */
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
   * The same turn with what was said so far and the order to go on. The order is a message of the user: many upstreams
   * refuse a conversation that ends with the assistant.
   */
  continuation(turn: Turn): Turn {
    const said = { role: 'assistant' as const, content: [{ type: 'text' as const, text: this.#text }] }
    const order = { role: 'user' as const, content: [{ type: 'text' as const, text: goOn }] }
    return {
      ...turn,
      messages: [...turn.messages, said, order],
      maxOutputTokens: turn.maxOutputTokens - this.#deltas,
      source: { ...turn.source, ...(turn.source.body && { body: this.#continued(turn.source.body) }) },
    }
  }

  #continued(body: Record<string, unknown>): Record<string, unknown> {
    const said = { role: 'assistant', content: this.#text }
    const order = { role: 'user', content: goOn }
    return { ...body, messages: [...((body['messages'] as unknown[]) ?? []), said, order] }
  }
}

const goOn =
  'Your answer above was cut off by a technical fault. Continue it from exactly where it stops, in the same language and style. Do not repeat any of it, do not comment on the interruption.'

/** What the order to go on adds to the prompt at most, beside the text that was said: as metering counts bytes and messages. */
export const continuationTokens = Math.ceil((Buffer.byteLength(goOn) + 2 * 32) / 2)
