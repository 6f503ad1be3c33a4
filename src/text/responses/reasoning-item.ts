import { type Emit, type ItemStatus, ResponseItem } from './item.ts'

/**
 * The reasoning of the model, sent as the wire's summary. With `plain` the text is also sent in the contract's own events, which
 * clients that did not ask for them do not know.
 */
export class ReasoningItem extends ResponseItem {
  readonly #plain: boolean
  #text: string | undefined

  constructor(id: string, index: number, emit: Emit, { plain }: { plain: boolean }) {
    super({ type: 'reasoning', id, summary: [] }, index, emit)
    this.#plain = plain
  }

  write(text: string): void {
    if (this.#text === undefined) {
      this.#text = ''
      this.emitEvent('response.reasoning_summary_part.added', { summary_index: 0, part: summaryOf('') })
    }
    this.#text += text
    this.emitEvent('response.reasoning_summary_text.delta', { summary_index: 0, delta: text })
    if (this.#plain) this.emitEvent('response.reasoning.delta', { content_index: 0, delta: text })
  }

  close(_status: ItemStatus, seal?: string): void {
    const text = this.#text
    if (text !== undefined) {
      const part = summaryOf(text)
      this.emitEvent('response.reasoning_summary_text.done', { summary_index: 0, text })
      this.emitEvent('response.reasoning_summary_part.done', { summary_index: 0, part })
      this.json['summary'] = [part]
      if (this.#plain) {
        this.emitEvent('response.reasoning.done', { content_index: 0, text })
        this.json['content'] = [{ type: 'reasoning_text', text }]
      }
    }
    if (seal !== undefined) this.json['encrypted_content'] = seal
    this.done()
  }
}

const summaryOf = (text: string) => ({ type: 'summary_text', text })
