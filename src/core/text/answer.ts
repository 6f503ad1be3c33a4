/** Sends the answer of a paid turn, as one JSON body or as events. Each wire formats its own answer; this file decides the order of formatting, sending and settling. */
import { replyForReplay, setCostHeaders, settleFailed } from '#core/calls'
import type { AnswerListener, PaidTurn } from '#core/inference'
import type { AnswerPart, Bill } from '#core/turn'
import { type Deadline, deadlines } from '#platform/clock'
import { asFailure, type ErrorBody, errorBody, Failure } from '#platform/errors'
import {
  type PushedAnswer,
  type PushOut,
  type PushReply,
  pushReply,
  type RequestContext,
} from '#platform/http'
import type { ModelRequestApp } from './app.ts'

/** One wire's answer that is not streamed. */
export interface JsonAnswer {
  add(part: AnswerPart): void
  /** The JSON body, once every part was added. */
  body(bill: Bill): unknown
}

/** The data of one server-sent event, alone or with the event's name. */
export type SentEvent = string | { event: string; data: string }

/** One wire's answer as events. */
export interface EventAnswer {
  /** The events of this part; empty while there is nothing to show to the caller. */
  eventsFor(part: AnswerPart): readonly SentEvent[]
  /** The last events of a complete answer. */
  end(bill: Bill): readonly SentEvent[]
  /** The last events of an answer that failed, possibly before any event was sent. */
  failed(error: ErrorBody['error']): readonly SentEvent[]
  /** The bytes of tool arguments that no event has had yet; absent where each part has its events at once. */
  readonly unsentArgumentBytes?: number
}

type JsonContext = Pick<RequestContext<unknown>, 'claim' | 'setHeader'>
type StreamContext = Pick<
  RequestContext<Pick<ModelRequestApp, 'config' | 'log'>>,
  'app' | 'language' | 'requestId' | 'setHeader'
>

/** Reports in a header that the model answers without the reasoning that was asked for, because earlier reasoning has not come back. */
function reportSkippedReasoning(context: Pick<RequestContext<unknown>, 'setHeader'>): void {
  context.setHeader('x-skipped-features', 'reasoning')
}

const skipsReasoning = (part: AnswerPart): boolean => part.type === 'start' && part.skipsReasoning === true

/** Answers with one JSON body once the turn has ended; it is stored for replay if the request has an idempotency claim. */
export const respondJson = (context: JsonContext, paid: PaidTurn, answer: JsonAnswer): PushReply =>
  pushReply(new WholeAnswer(context, paid, answer))

/** A turn on its way out as one JSON body. */
class WholeAnswer implements AnswerListener, PushedAnswer {
  readonly #context: JsonContext
  readonly #paid: PaidTurn
  readonly #answer: JsonAnswer
  #out!: PushOut

  constructor(context: JsonContext, paid: PaidTurn, answer: JsonAnswer) {
    this.#context = context
    this.#paid = paid
    this.#answer = answer
  }

  start(out: PushOut): void {
    this.#out = out
    this.#paid.start(this)
  }

  drained(): void {}

  onClientGone(): void {
    this.#paid.leave()
  }

  part(part: AnswerPart): void {
    if (skipsReasoning(part)) reportSkippedReasoning(this.#context)
    this.#answer.add(part)
  }

  flush(): void {}

  done(): void {
    try {
      const bill = this.#paid.bill()
      if (bill instanceof Promise) bill.then((known) => this.#end(known)).catch(this.#broke)
      else this.#end(bill)
    } catch (error) {
      this.#broke(error)
    }
  }

  failed(failure: Failure): void {
    settleFailed(this.#paid, failure).catch((error: unknown) => this.#out.fail(error))
  }

  /** Without a claim the answer is sent before it is settled; a repeat under a claim must find it stored. */
  #end(bill: Bill): void {
    const text = JSON.stringify(this.#answer.body(bill))
    setCostHeaders(this.#context, bill.microcredits)
    if (!this.#context.claim) {
      this.#out.json(text)
      void this.#paid.finish({ statusCode: 200 })
      return
    }
    const reply = replyForReplay(text)
    void this.#paid
      .finish({ statusCode: 200, ...(reply !== undefined && { reply }) })
      .then(() => this.#out.json(text))
  }

  readonly #broke = (error: unknown): void => {
    noteDefect(this.#paid, error)
    this.failed(asFailure(error))
  }
}

export interface BackgroundEnd {
  /** Aborts when nobody waits for the answer any more. */
  gone: AbortSignal
  /** The text that is stored if the call fails. */
  describeFailure: (failure: Failure) => string
}

/**
 * Reads a turn of background work to its end. The outcome (the JSON body, or the text that `describeFailure` makes of the failure) is stored in the
 * transaction that settles the call, before it is returned.
 */
export async function settleInBackground(
  paid: PaidTurn,
  answer: JsonAnswer,
  { gone, describeFailure }: BackgroundEnd,
): Promise<{ failure?: Failure; text: string }> {
  let text: string
  try {
    await collect(paid, answer, gone)
    text = textOf(answer, await paid.bill(), paid)
  } catch (error) {
    const failure = asFailure(error)
    text = describeFailure(failure)
    await paid.finish({ statusCode: failure.status, failure, undelivered: true, reply: text })
    return { failure, text }
  }
  await paid.finish({ statusCode: 200, reply: text })
  return { text }
}

/** A failure that the answer itself names is no defect: a model that wrote no text is paid. */
function noteDefect(paid: PaidTurn, error: unknown): void {
  if (!(error instanceof Failure)) paid.markBroken()
}

function textOf(answer: JsonAnswer, bill: Bill, paid: PaidTurn): string {
  try {
    return JSON.stringify(answer.body(bill))
  } catch (error) {
    noteDefect(paid, error)
    throw error
  }
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
export const respondStream = (
  context: StreamContext,
  paid: PaidTurn,
  answer: EventAnswer,
  heartbeat?: string,
): PushReply => pushReply(new StreamedAnswer(context, paid, answer), heartbeat)

/**
 * A turn on its way out as events. The stream is opened by the first visible event, or after a time of silence, so that the connection stays open; a
 * failure before that gives the answer its HTTP status.
 */
class StreamedAnswer implements AnswerListener, PushedAnswer {
  readonly #context: StreamContext
  readonly #paid: PaidTurn
  readonly #answer: EventAnswer
  #out!: PushOut
  #silence: Deadline | undefined
  #delivered = false
  #isPaused = false

  constructor(context: StreamContext, paid: PaidTurn, answer: EventAnswer) {
    this.#context = context
    this.#paid = paid
    this.#answer = answer
  }

  start(out: PushOut): void {
    this.#out = out
    this.#silence = deadlines.in(this.#context.app.config.timing.streamOpenMs, () => {
      // What is known before the upstream has answered; where another one answers in its place, the headers are sent.
      if (this.#paid.skipsReasoning) reportSkippedReasoning(this.#context)
      out.open()
      out.flush()
    })
    this.#paid.start(this)
  }

  drained(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#paid.resume()
  }

  onClientGone(): void {
    this.#silence?.cancel()
    this.#paid.leave()
  }

  part(part: AnswerPart): void {
    // The headers of a stream that was opened after a time of silence are sent.
    if (!this.#out.isOpen && skipsReasoning(part)) reportSkippedReasoning(this.#context)
    const events = this.#answer.eventsFor(part)
    if (events.length === 0) return
    this.#delivered = true
    this.#add(events)
  }

  get unsentArgumentBytes(): number {
    return this.#answer.unsentArgumentBytes ?? 0
  }

  flush(): void {
    if (!this.#out.isOpen || this.#out.flush() || this.#isPaused) return
    this.#isPaused = true
    this.#paid.pause()
  }

  done(): void {
    try {
      const bill = this.#paid.bill()
      if (bill instanceof Promise) bill.then((known) => this.#end(known)).catch(this.#broke)
      else this.#end(bill)
    } catch (error) {
      this.#broke(error)
    }
  }

  failed(failure: Failure): void {
    this.#silence?.cancel()
    if (!this.#out.isOpen) {
      settleFailed(this.#paid, failure).catch((error: unknown) => this.#out.fail(error))
      return
    }
    const { app, requestId, language } = this.#context
    if (failure.code === 'INTERNAL')
      app.log.error({ err: failure.cause, request_id: requestId }, 'a stream of an answer broke')
    // Settle first: sending the error may fail too.
    void this.#paid.finish({ statusCode: failure.status, failure, undelivered: !this.#delivered })
    try {
      this.#add(this.#answer.failed(errorBody(failure, requestId, language).error))
      this.#out.end()
    } catch (error) {
      this.#out.fail(error)
    }
  }

  #end(bill: Bill): void {
    this.#add(this.#answer.end(bill))
    this.#out.end()
    void this.#paid.finish({ statusCode: 200 })
  }

  readonly #broke = (error: unknown): void => {
    noteDefect(this.#paid, error)
    this.failed(asFailure(error))
  }

  #add(events: readonly SentEvent[]): void {
    if (!this.#out.isOpen) {
      this.#silence?.cancel()
      this.#out.open()
    }
    for (const event of events)
      if (typeof event === 'string') this.#out.event(event)
      else this.#out.event(event.data, event.event)
  }
}
