/** A paid turn on its way out, whole or as events: each wire says how its answer is written, here is when. */
import type { PaidTurn, Part, Usage } from '#engine/inference'
import { asFailure, type ErrorBody, errorBody } from '#platform/errors'
import { type Ask, type EventStream, type EventWriter, eventStream, JsonText } from '#platform/http'
import { replayLimitBytes } from '#platform/idempotency'

/** One wire's answer that is not streamed. */
export interface WholeAnswer {
  add(part: Part): void
  /** The JSON body, once every part was added. */
  body(usage: Usage): unknown
}

/** The data of one server-sent event, alone or with the event's name. */
export type SentEvent = string | { event: string; data: string }

/** One wire's answer as events. */
export interface EventAnswer {
  /** What the caller is to see of this part; none until something can be seen. */
  of(part: Part): readonly SentEvent[]
  /** The end of a whole answer. */
  end(usage: Usage): readonly SentEvent[]
  /** The end of one that broke; nothing may have been sent before. */
  failed(error: ErrorBody['error']): readonly SentEvent[]
}

/** Reads the turn to its end and answers it as one JSON body, which is kept for replay where the request has a claim. */
export async function whole(ask: Ask, paid: PaidTurn, answer: WholeAnswer): Promise<JsonText> {
  let text: string
  try {
    for await (const part of paid.parts()) answer.add(part)
    text = JSON.stringify(answer.body(paid.usage()))
  } catch (error) {
    const failure = asFailure(error)
    await paid.finish({ statusCode: failure.status, failure, undelivered: true })
    throw failure
  }
  const settled = paid.finish({
    statusCode: 200,
    ...(Buffer.byteLength(text) < replayLimitBytes && { reply: text }),
  })
  // A repeat that follows the answer must find it stored; others need not wait for their settlement.
  if (ask.claim) await settled
  return new JsonText(text)
}

/** Answers with events. What fails before there is anything to see is still an HTTP error with its own status. */
export async function inEvents(
  ask: Ask,
  paid: PaidTurn,
  answer: EventAnswer,
  heartbeat?: string,
): Promise<EventStream> {
  const batches = visible(paid.parts(), answer)
  const first = batches.next()
  try {
    await Promise.race([first, delay(ask.app.config.timing.streamOpenMs, first)])
  } catch (error) {
    const failure = asFailure(error)
    await paid.finish({ statusCode: failure.status, failure, undelivered: true })
    throw failure
  }
  return eventStream((out) => write(ask, paid, answer, first, batches, out), heartbeat)
}

type Batches = AsyncGenerator<readonly SentEvent[], void, undefined>
type Next = IteratorResult<readonly SentEvent[], void>

/** The events that the caller is to see, of all the parts there are. */
async function* visible(parts: AsyncIterable<Part>, answer: EventAnswer): Batches {
  for await (const part of parts) {
    const events = answer.of(part)
    if (events.length > 0) yield events
  }
}

function delay(ms: number, unless: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    const stop = (): void => clearTimeout(timer)
    unless.then(stop, stop)
  })
}

async function write(
  ask: Ask,
  paid: PaidTurn,
  answer: EventAnswer,
  first: Promise<Next>,
  batches: Batches,
  out: EventWriter,
): Promise<void> {
  let delivered = false
  try {
    for (let next = await first; !next.done; next = await batches.next()) {
      delivered = true
      if (out.gone.aborted) continue
      const slow = send(out, next.value)
      if (slow) await slow
    }
    await send(out, answer.end(paid.usage()))
    void paid.finish({ statusCode: 200 })
  } catch (error) {
    const failure = asFailure(error)
    if (failure.code === 'INTERNAL')
      ask.app.log.error({ err: failure.cause, request_id: ask.requestId }, 'a stream of an answer broke')
    const { error: told } = errorBody(failure, ask.requestId, ask.language)
    // First of all the money: telling what is broken may fail too.
    void paid.finish({ statusCode: failure.status, failure, undelivered: !delivered })
    await send(out, answer.failed(told))
  }
}

/** All of them at once; a promise only where the client is slower than we are. */
function send(out: EventWriter, events: readonly SentEvent[]): Promise<void> | undefined {
  let slow: Promise<void> | undefined
  for (const event of events) {
    slow = typeof event === 'string' ? out.send(event) : out.send(event.data, event.event)
  }
  return slow
}
