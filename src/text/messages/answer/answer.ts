/** The answer as JSON and as events. Its first part shows whether the upstream speaks this wire. */
import type { EventAnswer, JsonAnswer, SentEvent } from '#core/text'
import type { AnswerPart, Bill, WireExtra } from '#core/turn'
import type { ErrorBody } from '#platform/errors'
import type { MessageEvent, MessageOptions, MessageWriter, StopDetails } from './event.ts'
import { messageOf } from './message.ts'
import { eventOf, PassThroughAnswer, passThroughMessage } from './pass-through.ts'
import { TranslatedAnswer } from './translated.ts'
import type { MessageJson } from './usage.ts'

const writerOf = (first: AnswerPart, options: MessageOptions): MessageWriter =>
  eventOf(first) ? new PassThroughAnswer(options) : new TranslatedAnswer(options)

export class StreamedMessage implements EventAnswer {
  readonly #options: MessageOptions
  #writer: MessageWriter | undefined

  constructor(options: Omit<MessageOptions, 'isWhole'>) {
    this.#options = { ...options, isWhole: false }
  }

  eventsFor(part: AnswerPart): readonly SentEvent[] {
    this.#writer ??= writerOf(part, this.#options)
    return this.#writer.of(part).map((event) => sent(event, part.extra))
  }

  end(bill: Bill): readonly SentEvent[] {
    return (this.#writer ?? new TranslatedAnswer(this.#options)).end(bill).map((event) => sent(event))
  }

  get unsentArgumentBytes(): number {
    return this.#writer?.unsentArgumentBytes ?? 0
  }

  /** The error event is the last one: `message_stop`, which means success, is not sent. */
  failed(error: ErrorBody['error']): readonly SentEvent[] {
    return [sent({ type: 'error', error, request_id: error.request_id })]
  }
}

/** An event that is passed through unchanged is sent with the upstream's exact bytes. */
const sent = (event: MessageEvent, extra?: WireExtra): SentEvent => ({
  event: event.type,
  data: event === extra?.event && extra.text !== undefined ? extra.text : JSON.stringify(event),
})

export class JsonMessage implements JsonAnswer {
  readonly #options: MessageOptions
  readonly #events: MessageEvent[] = []
  #writer: MessageWriter | undefined
  #body: MessageJson | undefined
  #stop: StopDetails = { reason: 'stop' }

  constructor(options: Omit<MessageOptions, 'isWhole'>) {
    this.#options = { ...options, isWhole: true }
  }

  add(part: AnswerPart): void {
    if (part.type === 'finish') this.#stop = part
    if (part.extra?.wire === 'messages') this.#body ??= part.extra.body
    if (this.#body) return
    this.#writer ??= writerOf(part, this.#options)
    this.#events.push(...this.#writer.of(part))
  }

  body(bill: Bill): MessageJson {
    if (this.#body) return passThroughMessage(this.#body, this.#stop, this.#options.heading(), bill)
    const writer = this.#writer ?? new TranslatedAnswer(this.#options)
    return messageOf([...this.#events, ...writer.end(bill)], bill)
  }
}
