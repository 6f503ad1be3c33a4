/** What a model wrote in one step of an answer: shown to the caller in part, and replayed as an assistant message in the next step. */
import type { AnswerPart, FinishReason, Message, MessageContent, ToolCall } from '#core/turn'

export type Finish = { reason: FinishReason; stopSequence?: string }

export class StepAnswer {
  readonly #hostedNames: ReadonlyMap<string, unknown>
  readonly #nextIndex: () => number
  readonly #content: MessageContent[] = []
  readonly #calls = new Map<number, ToolCall>()
  /** Index delivered to the caller for each call of the caller's own tools. */
  readonly #indices = new Map<number, number>()
  #reasoning: (MessageContent & { type: 'reasoning' }) | undefined
  finish: Finish = { reason: 'stop' }

  constructor(hostedNames: ReadonlyMap<string, unknown>, nextIndex: () => number) {
    this.#hostedNames = hostedNames
    this.#nextIndex = nextIndex
  }

  get hosted(): ToolCall[] {
    return [...this.#calls.values()].filter(({ name }) => this.#hostedNames.has(name))
  }
  get hostedArgumentBytes(): number {
    return this.hosted.reduce((sum, call) => sum + Buffer.byteLength(call.arguments), 0)
  }
  get callsOfCaller(): number {
    return this.#indices.size
  }
  /** False when the answer was cut off or refused: its last tool call may be incomplete. */
  get isComplete(): boolean {
    return this.finish.reason === 'stop' || this.finish.reason === 'tool_calls'
  }
  get message(): Message {
    return { role: 'assistant', content: this.#content, toolCalls: [...this.#calls.values()] }
  }

  /** Returns the part if it is delivered to the caller, or undefined. */
  add(part: AnswerPart): AnswerPart | undefined {
    switch (part.type) {
      case 'text':
        this.#text(part.text)
        return part
      case 'reasoning':
        this.#reasoningBlock().text += part.text
        return part
      case 'reasoning-end':
        if (part.opaque) this.#reasoningBlock().opaque = part.opaque
        this.#reasoning = undefined
        return part
      case 'tool-call':
        return this.#call(part)
      case 'tool-arguments': {
        const call = this.#calls.get(part.index)
        if (call) call.arguments += part.delta
        const index = this.#indices.get(part.index)
        return index === undefined ? undefined : { ...part, index }
      }
      case 'finish':
        this.finish = part
        return undefined
      default:
        return part
    }
  }

  #call(part: AnswerPart & { type: 'tool-call' }): AnswerPart | undefined {
    this.#reasoning = undefined
    this.#calls.set(part.index, { id: part.id, name: part.name, arguments: '' })
    if (this.#hostedNames.has(part.name)) return undefined
    const index = this.#nextIndex()
    this.#indices.set(part.index, index)
    return { ...part, index }
  }

  #text(text: string): void {
    this.#reasoning = undefined
    const last = this.#content.at(-1)
    if (last?.type === 'text') last.text += text
    else this.#content.push({ type: 'text', text })
  }

  #reasoningBlock(): MessageContent & { type: 'reasoning' } {
    if (!this.#reasoning) {
      this.#reasoning = { type: 'reasoning', text: '' }
      this.#content.push(this.#reasoning)
    }
    return this.#reasoning
  }
}
