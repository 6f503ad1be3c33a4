/** The end of an answer: its charge moves in the transaction that ends its message, so that each is true exactly when the other is. */
import { setTimeout as pause } from 'node:timers/promises'
import { isDatabaseAway, type Tx } from '#platform/db'
import { Failure } from '#platform/errors'
import { endMessage, flushParts, type MessageEnd, type PartWrite } from '../message-store.ts'
import type { AnswersApp } from './app.ts'
import type { AnswerEnd, AnswerIds, LiveAnswer } from './live-answer.ts'
import { grows, type Piece } from './merged-parts.ts'
import { isThere } from './store.ts'

const againMs = 1_000

/** Thrown where another process, which took this one for dead, has ended the message: the answer is then free. */
class AnswerLost extends Error {
  override name = 'AnswerLost'
}

/** Settles the answer and ends its message. A failed answer costs nothing; one that was stopped costs what came. */
export async function endAnswer(app: AnswersApp, answer: LiveAnswer, end: AnswerEnd): Promise<void> {
  const { ids, paid } = answer
  const failure = end.state === 'failed' ? end.failure : undefined
  if (failure?.code === 'INTERNAL')
    app.log.error({ err: failure.cause, receipt: ids.receiptId }, 'an answer of Talk broke')
  await flushRest(app, answer)
  try {
    // The hold is raised first if the answer costs more, so that the message and the receipt show the same charge.
    if (!failure) await paid.bill()
    const ending = failure ? { statusCode: failure.status, failure, undelivered: true } : { statusCode: 200 }
    await paid.finishWith(ending, (tx, microcredits) =>
      write(app, tx, ids, { state: end.state, errorCode: failure?.code, microcredits }),
    )
  } catch (error) {
    if (!(error instanceof AnswerLost))
      app.log.warn({ err: error, receipt: ids.receiptId }, 'an answer could not be settled with its message')
    await endUnpaid(app, answer)
  }
}

/** Stores what was not flushed. It comes before the settlement: only what is stored is charged. */
async function flushRest(app: AnswersApp, { ids, parts, flushed }: LiveAnswer): Promise<void> {
  const pieces = parts.after(flushed)
  if (pieces.length === 0) return
  const writes = pieces.map((piece) => writeOf(ids, piece))
  await untilStored(() => flushParts(app.db, [ids], writes))
}

/** Ends the message. Throws AnswerLost. */
async function write(
  { clock }: Pick<AnswersApp, 'clock'>,
  tx: Tx,
  ids: AnswerIds,
  end: MessageEnd,
): Promise<void> {
  if (await endMessage(tx, ids, end, new Date(clock.nowMs()))) return
  // The answer of a conversation that was deleted meanwhile is charged.
  if (await isThere(tx, ids)) throw new AnswerLost()
}

/** Runs an idempotent write, until the database takes it. */
async function untilStored<Value>(work: () => Promise<Value>): Promise<Value> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isDatabaseAway(error)) throw error
      await pause(againMs)
    }
  }
}

/** Ends an answer that could not be settled with its message: it costs nothing, and its message fails. */
async function endUnpaid(app: AnswersApp, answer: LiveAnswer): Promise<void> {
  const failure = new Failure('SERVICE_UNAVAILABLE', { why: 'database' }, {})
  answer.paid.markBroken()
  await answer.paid.finish({ statusCode: failure.status, failure, undelivered: true })
  const end: MessageEnd = { state: 'failed', errorCode: failure.code, microcredits: 0n }
  await untilStored(() => app.db.tx((tx) => endMessage(tx, answer.ids, end, new Date(app.clock.nowMs()))))
}

/** A piece as it is stored. */
export const writeOf = ({ accountId, messageId }: AnswerIds, piece: Piece): PartWrite => ({
  accountId,
  messageId,
  ordinal: piece.ordinal,
  kind: piece.kind,
  from: piece.from,
  text: grows(piece.kind) ? piece.text : undefined,
  detail: piece.detail,
})
