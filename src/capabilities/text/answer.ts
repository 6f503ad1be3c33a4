/** Sends the answer of a paid turn, as one JSON body or as events. Each wire formats its own answer; this file decides the order of formatting, sending and settling. */
import { answerPaid, settleFailed } from '#capabilities/calls'
import type { PaidTurn } from '#engine/inference'
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
    for await (const part of paid.parts()) answer.add(part)
    const bill = await paid.bill()
    return { body: answer.body(bill), microcredits: bill.microcredits }
  })

/**
 * For background work: reads the turn to its end. The outcome (the JSON body, or the text that `describeFailure` makes of the failure)
 * is stored in the transaction that settles the call, before it is returned.
 */
export async function settleInBackground(
  paid: PaidTurn,
  answer: JsonAnswer,
  describeFailure: (failure: Failure) => string,
): Promise<{ failure?: Failure; text: string }> {
  let text: string
  try {
    for await (const part of paid.parts()) answer.add(part)
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

/** Answers with events. A failure before the first visible event is still an HTTP error with its own status. */
export async function respondStream(
  context: RequestContext,
  paid: PaidTurn,
  answer: EventAnswer,
  heartbeat?: string,
): Promise<EventStream> {
  const parts = paid.parts()
  const first = firstVisible(parts, answer)
  try {
    await Promise.race([first, delay(context.app.config.timing.streamOpenMs, first)])
  } catch (error) {
    return settleFailed(paid, asFailure(error))
  }
  return eventStream((out) => write(context, paid, answer, first, parts, out), heartbeat)
}

/** The first visible events, or undefined if the answer has none. */
async function firstVisible(
  parts: AsyncIterator<Part>,
  answer: EventAnswer,
): Promise<readonly SentEvent[] | undefined> {
  for (let next = await parts.next(); !next.done; next = await parts.next()) {
    const events = answer.of(next.value)
    if (events.length > 0) return events
  }
  return undefined
}

function delay(ms: number, unless: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    const stop = (): void => clearTimeout(timer)
    unless.then(stop, stop)
  })
}

async function write(
  context: RequestContext,
  paid: PaidTurn,
  answer: EventAnswer,
  first: Promise<readonly SentEvent[] | undefined>,
  rest: AsyncIterable<Part>,
  out: EventWriter,
): Promise<void> {
  let delivered = false
  try {
    const opening = await first
    if (opening) {
      delivered = true
      await send(out, opening)
    }
    for await (const part of rest) {
      const slow = send(out, answer.of(part))
      if (slow) await slow
    }
    await send(out, answer.end(await paid.bill()))
    void paid.finish({ statusCode: 200 })
  } catch (error) {
    const failure = asFailure(error)
    if (failure.code === 'INTERNAL')
      context.app.log.error(
        { err: failure.cause, request_id: context.requestId },
        'a stream of an answer broke',
      )
    const { error: body } = errorBody(failure, context.requestId, context.language)
    // Settle first: sending the error may fail too.
    void paid.finish({ statusCode: failure.status, failure, undelivered: !delivered })
    await send(out, answer.failed(body))
  }
}

/** Sends all events at once. Returns a promise only if the client reads slower than the events are written. */
function send(out: EventWriter, events: readonly SentEvent[]): Promise<void> | undefined {
  if (out.gone.aborted) return undefined
  let slow: Promise<void> | undefined
  for (const event of events) {
    slow = typeof event === 'string' ? out.send(event) : out.send(event.data, event.event)
  }
  return slow
}
