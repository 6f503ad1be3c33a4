import type { Part, Turn } from '#engine/inference'

/** True for the parts that a caller sees as the answer. */
export function isVisible(part: Part): boolean {
  if (part.type === 'text' || part.type === 'refusal' || part.type === 'reasoning') return part.text !== ''
  return part.type === 'tool-call' || part.type === 'tool-arguments'
}

/** What of the answer has gone out to the caller, and how an answer that was cut there is asked to go on. */
export class Delivered {
  #text = ''
  #deltas = 0
  #other = false

  get any(): boolean {
    return this.#text !== '' || this.#other
  }

  add(part: Part): void {
    if (!isVisible(part)) return
    if (part.type === 'text') {
      this.#text += part.text
      this.#deltas++
    } else this.#other = true
  }

  /** Plain text only: a tool call, a refusal or reasoning that went out cannot be gone on with by another model. */
  canBeContinued(turn: Turn): boolean {
    return (
      this.#text !== '' && !this.#other && turn.output.type === 'text' && turn.maxOutputTokens > this.#deltas
    )
  }

  /**
   * The same turn with what was said so far and the order to go on. The order is a message of the user: many upstreams
   * refuse a conversation that ends with the assistant.
   */
  continuation(turn: Turn): Turn {
    const said = { role: 'assistant' as const, content: [{ type: 'text' as const, text: this.#text }] }
    const order = { role: 'user' as const, content: [{ type: 'text' as const, text: goOn }] }
    const { body } = turn.source
    const messages = [
      ...((body['messages'] as unknown[]) ?? []),
      { role: 'assistant', content: this.#text },
      { role: 'user', content: goOn },
    ]
    return {
      ...turn,
      messages: [...turn.messages, said, order],
      tools: [],
      maxOutputTokens: turn.maxOutputTokens - this.#deltas,
      source: { ...turn.source, body: { ...body, messages, tools: undefined, tool_choice: undefined } },
    }
  }
}

const goOn =
  'Your answer above was cut off by a technical fault. Continue it from exactly where it stops, in the same language and style. Do not repeat any of it, do not comment on the interruption.'
