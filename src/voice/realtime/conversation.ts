/** The items of a call so far, bounded in number and bytes: the oldest are dropped beyond that. */
import type { Conversation, ConversationItem, RealtimeEvent } from './parts.ts'

export const maxItems = 500
export const maxConversationBytes = 2 * 1024 * 1024

/** The conversation of a call; it announces each change to the client. */
export class CallConversation implements Conversation {
  readonly #emit: (event: RealtimeEvent) => void
  readonly #removed: (id: string) => void
  readonly #items: ConversationItem[] = []
  /** The bytes of each item as JSON. Content grows until `done`, which measures again. */
  readonly #bytesOf = new Map<string, number>()
  #bytes = 0

  /** @param removed called for the items that `remove` removes, but not for those dropped for lack of room */
  constructor(emit: (event: RealtimeEvent) => void, removed: (id: string) => void = () => {}) {
    this.#emit = emit
    this.#removed = removed
  }

  get items(): readonly ConversationItem[] {
    return this.#items
  }

  get(id: string): ConversationItem | undefined {
    return this.#bytesOf.has(id) ? this.#items.find((item) => item.id === id) : undefined
  }

  /** Adds an item after `previousId`, at the front for `root`, at the end where that is not named or not there. The id must be new. */
  add(item: ConversationItem, previousId?: string): void {
    const at = this.#placeBehind(previousId)
    this.#items.splice(at, 0, item)
    this.#measure(item)
    this.#emit({
      type: 'conversation.item.added',
      previous_item_id: this.#previousOf(at),
      item: itemObject(item),
    })
    this.#dropOldest(item)
  }

  done(id: string): void {
    const at = this.#bytesOf.has(id) ? this.#items.findIndex((one) => one.id === id) : -1
    const item = this.#items[at]
    if (!item) return
    this.#measure(item)
    this.#emit({
      type: 'conversation.item.done',
      previous_item_id: this.#previousOf(at),
      item: itemObject(item),
    })
    this.#dropOldest(item)
  }

  remove(id: string): void {
    if (!this.#bytesOf.has(id)) return
    this.#removed(id)
    this.#removeAt(this.#items.findIndex((item) => item.id === id))
  }

  #placeBehind(previousId: string | undefined): number {
    if (previousId === 'root') return 0
    const at = previousId === undefined ? -1 : this.#items.findIndex(({ id }) => id === previousId)
    return at < 0 ? this.#items.length : at + 1
  }

  #previousOf(at: number): string | null {
    return this.#items[at - 1]?.id ?? null
  }

  #measure(item: ConversationItem): void {
    const bytes = Buffer.byteLength(JSON.stringify(item))
    this.#bytes += bytes - (this.#bytesOf.get(item.id) ?? 0)
    this.#bytesOf.set(item.id, bytes)
  }

  /** Drops the oldest items beyond the bounds, but never the newest. */
  #dropOldest(newest: ConversationItem): void {
    while (this.#items.length > maxItems || this.#bytes > maxConversationBytes) {
      const at = this.#items.findIndex((item) => item !== newest)
      if (at < 0) return
      this.#removeAt(at)
    }
  }

  #removeAt(at: number): void {
    const [{ id }] = this.#items.splice(at, 1) as [ConversationItem]
    this.#bytes -= this.#bytesOf.get(id)!
    this.#bytesOf.delete(id)
    this.#emit({ type: 'conversation.item.deleted', item_id: id })
  }
}

/** The item as events have it. */
export const itemObject = (item: ConversationItem) => ({ object: 'realtime.item', ...item })
