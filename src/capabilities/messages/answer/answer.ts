/** The two ways out of an answer. Its first part says whether it came over this wire. */
import type { EventAnswer, JsonAnswer, SentEvent } from '#capabilities/text'
import type { Bill, Extra, Part } from '#engine/turn'
import type { ErrorBody } from '#platform/errors'
import type { Event, Manner, Stop, Writer } from './event.ts'
import { messageOf } from './message.ts'
import { eventOf, PassedOnAnswer, passedOnMessage } from './passed-on.ts'
import type { Raw } from './usage.ts'
import { WrittenAnswer } from './written.ts'

const writerOf = (first: Part, manner: Manner): Writer =>
  eventOf(first) ? new PassedOnAnswer(manner) : new WrittenAnswer(manner)

export class StreamedMessage implements EventAnswer {
  readonly #manner: Manner
  #writer: Writer | undefined

  constructor(manner: Manner) {
    this.#manner = manner
  }

  of(part: Part): readonly SentEvent[] {
    this.#writer ??= writerOf(part, this.#manner)
    return this.#writer.of(part).map((event) => sent(event, part.extra))
  }

  end(bill: Bill): readonly SentEvent[] {
    return (this.#writer ?? new WrittenAnswer(this.#manner)).end(bill).map((event) => sent(event))
  }

  /** Nothing follows it: only `message_stop` means success. */
  failed(error: ErrorBody['error']): readonly SentEvent[] {
    return [sent({ type: 'error', error, request_id: error.request_id })]
  }
}

/** What is passed on unchanged goes out to the letter. */
const sent = (event: Event, extra?: Extra): SentEvent => ({
  event: event.type,
  data: event === extra?.event && extra.text !== undefined ? extra.text : JSON.stringify(event),
})

export class WholeMessage implements JsonAnswer {
  readonly #manner: Manner
  readonly #events: Event[] = []
  #writer: Writer | undefined
  #body: Raw | undefined
  #stop: Stop = { reason: 'stop' }

  constructor(manner: Manner) {
    this.#manner = manner
  }

  add(part: Part): void {
    if (part.type === 'finish') this.#stop = part
    if (part.extra?.wire === 'messages') this.#body ??= part.extra.body
    if (this.#body) return
    this.#writer ??= writerOf(part, this.#manner)
    this.#events.push(...this.#writer.of(part))
  }

  body(bill: Bill): Raw {
    if (this.#body) return passedOnMessage(this.#body, this.#stop, this.#manner.heading(), bill)
    const writer = this.#writer ?? new WrittenAnswer(this.#manner)
    return messageOf([...this.#events, ...writer.end(bill)], bill)
  }
}
