/** The calls of hosted tools in one answer: an item for each, and a sentence to the caller where they take long. */
import type { AnswerPart } from '#core/turn'
import { newId } from '../../events/server-events.ts'
import type { ConversationItem } from '../../parts.ts'

export interface HostedCallsOptions {
  add(item: ConversationItem): void
  done(item: ConversationItem, status: ConversationItem['status']): void
  /** Sends an event about the item. */
  emit(type: string, item: ConversationItem, fields?: Record<string, unknown>): void
  /** Whether nothing is being heard, or about to be. */
  isQuiet(): boolean
  /** Tells the caller that it takes a little; `said` is how often it was said before. Absent where the answer is not spoken. */
  keepWaiting?: ((said: number) => void) | undefined
}

/** The most characters of a tool's result for the client and for later turns; the model of this answer gets all of it. */
const maxOutputLength = 4_000
const label = 'kherad'
/** After this silence the caller suspects a fault. */
const silenceMs = 1_200
const againMs = 8_000
const maxSentences = 3

export class HostedCalls {
  readonly #options: HostedCallsOptions
  /** The calls without a result, by the model's id. */
  readonly #running = new Map<string, ConversationItem>()
  #said = 0
  #timer: NodeJS.Timeout | undefined

  constructor(options: HostedCallsOptions) {
    this.#options = options
  }

  began({ id, name, input }: Extract<AnswerPart, { type: 'hosted-call' }>): void {
    const item: ConversationItem = {
      id: newId('item'),
      type: 'mcp_call',
      status: 'in_progress',
      content: [],
      server_label: label,
      name,
      arguments: cut(JSON.stringify(input) ?? '{}'),
      output: null,
      error: null,
    }
    this.#running.set(id, item)
    this.#options.add(item)
    this.#options.emit('response.mcp_call_arguments.done', item, { arguments: item.arguments })
    this.#options.emit('response.mcp_call.in_progress', item)
    this.#timer ??= setTimeout(() => this.#onSilence(), silenceMs)
  }

  ended({ id, result }: Extract<AnswerPart, { type: 'hosted-result' }>): void {
    const item = this.#running.get(id)
    if (!item) return
    this.#running.delete(id)
    const text = cut(result.content)
    if (result.error === undefined) item.output = text
    else item.error = { type: 'tool_execution_error', message: text }
    this.#options.emit(`response.mcp_call.${item.error ? 'failed' : 'completed'}`, item)
    this.#options.done(item, item.error ? 'incomplete' : 'completed')
    if (this.#running.size === 0) this.#stopTimer()
  }

  /** Call when no result comes any more. */
  stop(): void {
    this.#stopTimer()
    for (const item of this.#running.values()) this.#options.done(item, 'incomplete')
    this.#running.clear()
  }

  #onSilence(): void {
    const { isQuiet, keepWaiting } = this.#options
    this.#timer = undefined
    if (!keepWaiting || this.#said === maxSentences) return
    const isQuietNow = isQuiet()
    if (isQuietNow) keepWaiting(this.#said++)
    this.#timer = setTimeout(() => this.#onSilence(), isQuietNow ? againMs : silenceMs)
  }

  #stopTimer(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}

const cut = (text: string): string =>
  text.length <= maxOutputLength ? text : `${text.slice(0, maxOutputLength - 1).toWellFormed()}…`
