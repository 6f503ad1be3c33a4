/** The answer as JSON and as events. Its first part shows whether the upstream speaks this wire. */
import type { EventAnswer, JsonAnswer, SentEvent } from '#core/text'
import type { Bill, Extra, Part } from '#core/turn'
import type { ErrorBody } from '#platform/errors'
import type { Event, MessageOptions, Stop, Writer } from './event.ts'
import { messageOf } from './message.ts'
import { eventOf, PassThroughAnswer, passThroughMessage } from './pass-through.ts'
import { TranslatedAnswer } from './translated.ts'
import type { Raw } from './usage.ts'

const writerOf = (first: Part, options: MessageOptions): Writer =>
  eventOf(first) ? new PassThroughAnswer(options) : new TranslatedAnswer(options)

export class StreamedMessage implements EventAnswer {
  readonly #options: MessageOptions
  #writer: Writer | undefined

  constructor(options: MessageOptions) {
    this.#options = options
  }

  of(part: Part): readonly SentEvent[] {
    this.#writer ??= writerOf(part, this.#options)
    return this.#writer.of(part).map((event) => sent(event, part.extra))
  }

  end(bill: Bill): readonly SentEvent[] {
    return (this.#writer ?? new TranslatedAnswer(this.#options)).end(bill).map((event) => sent(event))
  }

  /** The error event is the last one: `message_stop`, which means success, is not sent. */
  failed(error: ErrorBody['error']): readonly SentEvent[] {
    return [sent({ type: 'error', error, request_id: error.request_id })]
  }
}

/** An event that is passed through unchanged is sent with the upstream's exact bytes. */
const sent = (event: Event, extra?: Extra): SentEvent => ({
  event: event.type,
  data: event === extra?.event && extra.text !== undefined ? extra.text : JSON.stringify(event),
})

export class JsonMessage implements JsonAnswer {
  readonly #options: MessageOptions
  readonly #events: Event[] = []
  #writer: Writer | undefined
  #body: Raw | undefined
  #stop: Stop = { reason: 'stop' }

  constructor(options: MessageOptions) {
    this.#options = options
  }

  add(part: Part): void {
    if (part.type === 'finish') this.#stop = part
    if (part.extra?.wire === 'messages') this.#body ??= part.extra.body
    if (this.#body) return
    this.#writer ??= writerOf(part, this.#options)
    this.#events.push(...this.#writer.of(part))
  }

  body(bill: Bill): Raw {
    if (this.#body) return passThroughMessage(this.#body, this.#stop, this.#options.heading(), bill)
    const writer = this.#writer ?? new TranslatedAnswer(this.#options)
    return messageOf([...this.#events, ...writer.end(bill)], bill)
  }
}
