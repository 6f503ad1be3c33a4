/** Sends the answer of a paid turn, as one JSON body or as events. Each wire formats its own answer; this file decides the order of formatting, sending and settling. */
import { answerPaid, settleFailed } from '#capabilities/calls'
import type { AnswerListener, PaidTurn } from '#engine/inference'
import type { Bill, Part } from '#engine/turn'
import { asFailure, type ErrorBody, errorBody, type Failure } from '#platform/errors'
import {
  type EventStream,
  type EventWriter,
  eventStream,
  type JsonText,
  type RequestContext,
} from '#platform/http'

/** One wire's answer that is not streamed. */
export interface JsonAnswer {
  add(part: Part): void
  /** The JSON body, once every part was added. */
  body(bill: Bill): unknown
}

/** The data of one server-sent event, alone or with the event's name. */
export type SentEvent = string | { event: string; data: string }

/** One wire's answer as events. */
export interface EventAnswer {
  /** The events of this part; empty while there is nothing to show to the caller. */
  of(part: Part): readonly SentEvent[]
  /** The last events of a complete answer. */
  end(bill: Bill): readonly SentEvent[]
  /** The last events of an answer that failed, possibly before any event was sent. */
  failed(error: ErrorBody['error']): readonly SentEvent[]
}

/** Reads the turn to its end and answers with one JSON body, which is stored for replay if the request has an idempotency claim. */
export const respondJson = (context: RequestContext, paid: PaidTurn, answer: JsonAnswer): Promise<JsonText> =>
  answerPaid(context, paid, async () => {
    await collect(paid, answer, context.gone)
    const bill = await paid.bill()
    return { body: answer.body(bill), microcredits: bill.microcredits }
  })

export interface BackgroundEnd {
  /** Aborts when nobody waits for the answer any more. */
  gone: AbortSignal
  /** The text that is stored if the call fails. */
  describeFailure: (failure: Failure) => string
}

/**
 * For background work: reads the turn to its end. The outcome (the JSON body, or the text that `describeFailure` makes of the failure)
 * is stored in the transaction that settles the call, before it is returned.
 */
export async function settleInBackground(
  paid: PaidTurn,
  answer: JsonAnswer,
  { gone, describeFailure }: BackgroundEnd,
): Promise<{ failure?: Failure; text: string }> {
  let text: string
  try {
    await collect(paid, answer, gone)
    text = JSON.stringify(answer.body(await paid.bill()))
  } catch (error) {
    const failure = asFailure(error)
    text = describeFailure(failure)
    await paid.finish({ statusCode: failure.status, failure, undelivered: true, reply: text })
    return { failure, text }
  }
  await paid.finish({ statusCode: 200, reply: text })
  return { text }
}

/** Resolves once every part was added. Rejects with the failure of the turn, or with what the answer threw at a part. */
function collect(paid: PaidTurn, answer: JsonAnswer, gone: AbortSignal): Promise<void> {
  const leave = (): void => paid.leave()
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      gone.removeEventListener('abort', leave)
      settle()
    }
    gone.addEventListener('abort', leave)
    if (gone.aborted) leave()
    paid.start({
      part: (part) => answer.add(part),
      flush: () => {},
      done: () => end(resolve),
      failed: (failure) => end(() => reject(failure)),
    })
  })
}

/** Answers with events. A failure before the first visible event is still an HTTP error with its own status. */
export async function respondStream(
  context: RequestContext,
  paid: PaidTurn,
  answer: EventAnswer,
  heartbeat?: string,
): Promise<EventStream> {
  const streamed = new StreamedAnswer(context, paid, answer)
  try {
    await streamed.begin(context.app.config.timing.streamOpenMs)
  } catch (error) {
    return settleFailed(paid, asFailure(error))
  }
  return eventStream((out) => streamed.send(out), heartbeat)
}

/** A turn on its way out as events. Until the stream is opened what is to be sent is kept, and a failure is the caller's status. */
class StreamedAnswer implements AnswerListener {
  readonly #context: RequestContext
  readonly #paid: PaidTurn
  readonly #answer: EventAnswer
  readonly #leave = (): void => this.#paid.leave()
  readonly #begun = Promise.withResolvers<void>()
  readonly #ended = Promise.withResolvers<void>()
  /** Events from before the stream was opened. */
  #kept: SentEvent[] = []
  #out: EventWriter | undefined
  /** The stream is, or is being, opened. */
  #isOpen = false
  #failure: Failure | undefined
  #delivered = false
  #isWaiting = false

  constructor(context: RequestContext, paid: PaidTurn, answer: EventAnswer) {
    this.#context = context
    this.#paid = paid
    this.#answer = answer
  }

  /** Resolves at the first visible event, at the end, or after `openMs`. Rejects if the turn fails before. */
  async begin(openMs: number): Promise<void> {
    const late = setTimeout(() => this.#open(), openMs)
    const { gone } = this.#context
    gone.addEventListener('abort', this.#leave)
    if (gone.aborted) this.#leave()
    this.#paid.start(this)
    try {
      await this.#begun.promise
    } finally {
      clearTimeout(late)
    }
  }

  /** Sends what was kept and then what comes; resolves at the end. */
  send(out: EventWriter): Promise<void> {
    this.#out = out
    const kept = this.#kept
    this.#kept = []
    this.#send(kept)
    if (this.#failure) this.#sendFailure(this.#failure)
    return this.#ended.promise
  }

  part(part: Part): void {
    const events = this.#answer.of(part)
    if (events.length === 0) return
    this.#delivered = true
    this.#send(events)
    this.#open()
  }

  flush(): void {}

  done(): void {
    this.#end().catch((error: unknown) => this.failed(asFailure(error)))
  }

  failed(failure: Failure): void {
    this.#context.gone.removeEventListener('abort', this.#leave)
    if (!this.#isOpen) {
      this.#begun.reject(failure)
      return
    }
    this.#failure = failure
    if (failure.code === 'INTERNAL')
      this.#context.app.log.error(
        { err: failure.cause, request_id: this.#context.requestId },
        'a stream of an answer broke',
      )
    // Settle first: sending the error may fail too.
    void this.#paid.finish({ statusCode: failure.status, failure, undelivered: !this.#delivered })
    if (this.#out) this.#sendFailure(failure)
  }

  async #end(): Promise<void> {
    const bill = await this.#paid.bill()
    this.#context.gone.removeEventListener('abort', this.#leave)
    this.#send(this.#answer.end(bill))
    void this.#paid.finish({ statusCode: 200 })
    this.#open()
    this.#ended.resolve()
  }

  #open(): void {
    if (this.#isOpen) return
    this.#isOpen = true
    this.#begun.resolve()
  }

  #sendFailure(failure: Failure): void {
    const { requestId, language } = this.#context
    try {
      this.#send(this.#answer.failed(errorBody(failure, requestId, language).error))
      this.#ended.resolve()
    } catch (error) {
      this.#ended.reject(error)
    }
  }

  #send(events: readonly SentEvent[]): void {
    const out = this.#out
    if (!out) return void this.#kept.push(...events)
    if (out.gone.aborted) return
    let slow: Promise<void> | undefined
    for (const event of events)
      slow = typeof event === 'string' ? out.send(event) : out.send(event.data, event.event)
    if (slow && !this.#isWaiting) void this.#wait(slow)
  }

  /** The caller reads slower than the answer comes: the upstream is read no further until it has caught up. */
  async #wait(slow: Promise<void>): Promise<void> {
    this.#isWaiting = true
    this.#paid.pause()
    await slow
    this.#isWaiting = false
    this.#paid.resume()
  }
}
