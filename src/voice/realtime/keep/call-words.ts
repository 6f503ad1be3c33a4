/** The words of both sides of a call that keeps them, in the order in which they were said. */
import { isDatabaseAway } from '#platform/db'
import type { Log } from '#platform/log'
import type { Conversation, ConversationItem, RealtimeEvent } from '../parts.ts'
import type { SpokenWords } from './transcript-store.ts'

export const maxRows = 2_000
/** The most letters of one item; a longer one is cut. */
export const maxLetters = 20_000
/** The most letters of a call. */
export const maxLettersOfCall = 1_000_000
/** The most items whose words may still change; a conversation has fewer. */
const maxItems = 1_000
const writeEveryMs = 1_000

export interface CallWordsOptions {
  /** The time since the call was connected. */
  nowMs(): number
  /** Writes words; resolves to false where they are not kept any more. */
  write(spoken: readonly SpokenWords[]): Promise<boolean>
  log: Pick<Log, 'error'>
  callId: string
}

/** Learns the words from the events to the client, and writes them within about a second. */
export class CallWords {
  readonly #options: CallWordsOptions
  readonly #items = new Map<string, SpokenWords>()
  #unwritten = new Map<number, SpokenWords>()
  #began: { id: unknown; atMs: number } | undefined
  #positions = 0
  #rows = 0
  #letters = 0
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined
  #isOver = false

  constructor(options: CallWordsOptions) {
    this.#options = options
  }

  /** Takes an event before the client receives it. */
  event(event: RealtimeEvent, conversation: Conversation): void {
    if (this.#isOver) return
    switch (event.type) {
      case 'input_audio_buffer.speech_started':
        this.#began = { id: event['item_id'], atMs: this.#options.nowMs() }
        return
      case 'conversation.item.added':
      case 'response.output_item.added':
        this.#open(event['item'] as ConversationItem)
        return
      case 'conversation.item.done':
      case 'response.output_item.done':
        this.#said(event['item'] as ConversationItem)
        return
      case 'conversation.item.truncated':
        // An item whose words may no longer change is not known here.
        if (this.#items.has(String(event['item_id']))) this.#said(conversation.get(String(event['item_id'])))
        return
      case 'conversation.item.input_audio_transcription.completed':
        this.#heard(String(event['item_id']), String(event['transcript']))
    }
  }

  /** Removes the words of an item: its turn goes on, and is transcribed again as a whole; or the client deleted it. */
  removed(itemId: string): void {
    const item = this.#items.get(itemId)
    if (item) this.#put(item, '')
  }

  /** Writes the unwritten words. Never rejects: where the database is away, it is tried again. */
  write(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
    })
    return this.#writing
  }

  /** Stops: nothing is written from here on. */
  stop(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
  }

  #open({ id, type, role }: ConversationItem): SpokenWords | undefined {
    if (type !== 'message' || role === 'system' || role === undefined) return undefined
    const known = this.#items.get(id)
    if (known) return known
    const atMs = this.#began?.id === id ? this.#began.atMs : this.#options.nowMs()
    const item = { position: this.#positions++, role, words: null, at_ms: atMs }
    this.#items.set(id, item)
    if (this.#items.size > maxItems) this.#items.delete(this.#items.keys().next().value!)
    return item
  }

  #said(item: ConversationItem | undefined): void {
    const spoken = item && this.#open(item)
    if (spoken) this.#put(spoken, wordsOf(item))
  }

  #heard(id: string, transcript: string): void {
    const item = this.#open({ id, type: 'message', role: 'user', status: 'completed', content: [] })
    this.#put(item!, transcript)
  }

  #put(item: SpokenWords, text: string): void {
    const before = item.words?.length ?? 0
    const words = storableText(text, Math.min(maxLetters, maxLettersOfCall - this.#letters + before))
    if (words === item.words) return
    if (item.words === null && this.#rows >= maxRows) return
    this.#rows += Number(words !== null) - Number(item.words !== null)
    this.#letters += (words?.length ?? 0) - before
    item.words = words
    this.#unwritten.set(item.position, item)
    this.#timer ??= setTimeout(() => void this.write(), writeEveryMs)
  }

  async #write(): Promise<void> {
    while (this.#unwritten.size > 0 && !this.#isOver) {
      const spoken = [...this.#unwritten.values()]
      this.#unwritten = new Map()
      try {
        if (!(await this.#options.write(spoken))) this.stop()
      } catch (error) {
        if (!isDatabaseAway(error)) return this.#report(error)
        for (const one of spoken) this.#unwritten.set(one.position, one)
        if (!this.#isOver) this.#timer ??= setTimeout(() => void this.write(), writeEveryMs)
        return
      }
    }
  }

  #report(error: unknown): void {
    this.#options.log.error({ err: error, call_id: this.#options.callId }, 'words of a call were not written')
  }
}

const wordsOf = ({ content }: ConversationItem): string =>
  content
    .map((part) => {
      if ('text' in part) return part.text
      return 'transcript' in part ? (part.transcript ?? '') : ''
    })
    .filter((text) => text !== '')
    .join('\n')

/** The text as the database can hold it; null where it is empty. */
function storableText(text: string, maxLength: number): string | null {
  const words = text.slice(0, maxLength).replaceAll('\0', '').toWellFormed().trim()
  return words === '' ? null : words
}
