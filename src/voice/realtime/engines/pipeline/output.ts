/** Announces the output items of an answer to the client, and keeps them in the conversation. */
import type { CallView, ConversationItem } from '../../parts.ts'

export interface AnswerOutputOptions {
  /** The id of the response. */
  id: string
  call: Pick<CallView, 'conversation' | 'emit'>
  /** Whether the items become part of the conversation. */
  isKept: boolean
  /** Called with each item that became part of the conversation. */
  onItem: (id: string) => void
}

export class AnswerOutput {
  readonly #options: AnswerOutputOptions
  readonly #items: ConversationItem[] = []

  constructor(options: AnswerOutputOptions) {
    this.#options = options
  }

  get items(): readonly ConversationItem[] {
    return this.#items
  }
  get isKept(): boolean {
    return this.#options.isKept
  }

  /** Adds an output item. `before` is the message that the caller hears last, for which the tool was used. */
  add(item: ConversationItem, before?: ConversationItem): void {
    this.#items.push(item)
    this.#emit('response.output_item.added', { ...this.#positionOf(item), item })
    if (!this.isKept) return
    const { conversation } = this.#options.call
    const at = before ? conversation.items.indexOf(before) : -1
    conversation.add(item, at < 0 ? undefined : (conversation.items[at - 1]?.id ?? 'root'))
    this.#options.onItem(item.id)
  }

  done(item: ConversationItem, status: ConversationItem['status']): void {
    item.status = status
    this.#emit('response.output_item.done', { ...this.#positionOf(item), item })
    if (this.isKept) this.#options.call.conversation.done(item.id)
  }

  /** Sends an event about an item. */
  emit(type: string, item: ConversationItem, fields?: Record<string, unknown>): void {
    this.#emit(type, { ...this.#positionOf(item), item_id: item.id, ...fields })
  }

  /** Sends an event about the content of a message. */
  emitContent(type: string, message: ConversationItem, fields?: Record<string, unknown>): void {
    this.emit(type, message, { content_index: 0, ...fields })
  }

  #positionOf(item: ConversationItem) {
    return { response_id: this.#options.id, output_index: this.#items.indexOf(item) }
  }

  #emit(type: string, fields: Record<string, unknown>): void {
    this.#options.call.emit({ type, ...fields })
  }
}
