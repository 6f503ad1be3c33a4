/** Begins an answer: the worst case is held, the messages are stored, and the model is called, in this order. */
import { createHash } from 'node:crypto'
import { type PaidTurn, startPaidTurn } from '#core/inference'
import type { Model } from '#core/models'
import type { Turn } from '#core/turn'
import { Failure, fail } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import { addMessages, findMessage, type NewMessage } from '../message-store.ts'
import { ownerOf } from '../owner.ts'
import type { MessageRow } from '../tables.ts'
import type { AnswersApp, AnswersContext } from './app.ts'
import { type AnswerRunner, runnerOf } from './runner.ts'

export const endpoint = '/v1/talk/messages'

/** Where the new messages stand, and what makes them. */
export interface NewAnswer {
  model: Model
  turn: Turn
  conversationId: string
  parentId: string | null
  /** The id that the client chose: of the person's message, or of the answer to an earlier one. */
  clientId: string
  fingerprint: Buffer
  hosted: readonly string[]
  effort: string | undefined
  /** The parts of the person's message; absent where an earlier one is answered. */
  question?: NewMessage['parts']
}

/** Two requests with one id are the same request if these are equal. */
export const fingerprintOf = (...fields: unknown[]): Buffer =>
  createHash('sha256').update(JSON.stringify(fields)).digest()

/** The message of an earlier request with this id; undefined for a new one. Throws MESSAGE_ID_TAKEN for another request. */
export async function earlierMessage(
  context: AnswersContext,
  id: string,
  fingerprint: Buffer,
): Promise<MessageRow | undefined> {
  const earlier = await findMessage(context.app.db, ownerOf(context), id)
  if (earlier && !earlier.fingerprint?.equals(fingerprint)) fail('MESSAGE_ID_TAKEN', {}, { param: 'id' })
  return earlier
}

/** Begins the answer, or finds that another request with the same id has just begun it: it pays once. Throws 402 and 429 before anything is stored. */
export async function beginAnswer(context: AnswersContext, asked: NewAnswer): Promise<void> {
  const runner = runnerOf(context.app)
  const { personId } = ownerOf(context)
  const place = runner.takePlace(personId)
  let isBegun = false
  try {
    isBegun = await beginPaid(context, asked, { runner, place })
  } catch (error) {
    // A request that was sent twice at once may be refused for the credits or the place that the other one has taken.
    const isRefused = error instanceof Failure && (error.status === 402 || error.status === 429)
    if (!isRefused || !(await earlierMessage(context, asked.clientId, asked.fingerprint))) throw error
  } finally {
    if (!isBegun) place[Symbol.dispose]()
  }
}

interface Place {
  runner: AnswerRunner
  place: Disposable
}

async function beginPaid(
  context: AnswersContext,
  asked: NewAnswer,
  { runner, place }: Place,
): Promise<boolean> {
  const { app, caller, requestId, receivedMs } = context
  const { model, turn, conversationId } = asked
  const paid = await startPaidTurn(app.turns, {
    ...{ caller, model, turn, endpoint, requestId, receivedMs },
    showsReasoning: true,
    isStored: true,
  })
  const messageId = asked.question ? uuidv7(app.clock.nowMs()) : asked.clientId
  try {
    if (!(await storeMessages(context, asked, messageId))) {
      await giveBack(paid, new Failure('MESSAGE_ID_TAKEN', {}, { param: 'id' }))
      // An id of somebody else is taken too.
      if (!(await earlierMessage(context, asked.clientId, asked.fingerprint)))
        fail('MESSAGE_ID_TAKEN', {}, { param: 'id' })
      return false
    }
  } catch (error) {
    await giveBack(
      paid,
      error instanceof Failure ? error : new Failure('SERVICE_UNAVAILABLE', { why: 'database' }, {}),
    )
    throw error
  }
  const { personId } = ownerOf(context)
  const { accountId } = caller
  runner.begin({ accountId, conversationId, messageId, personId, receiptId: requestId }, paid, place)
  return true
}

/** Gives the hold back: no upstream was called. */
async function giveBack(paid: PaidTurn, failure: Failure): Promise<void> {
  paid.markBroken()
  await paid.finish({ statusCode: failure.status, failure, undelivered: true })
}

/** Stores the new messages; false if the id is taken. */
async function storeMessages(context: AnswersContext, asked: NewAnswer, answerId: string): Promise<boolean> {
  const { app, requestId } = context
  const { conversationId, parentId, model, hosted, effort, fingerprint, question, clientId } = asked
  const answer: NewMessage = {
    ...{ messageId: answerId, role: 'assistant', state: 'streaming', processId: app.processes.id },
    ...{ model: model.id, hosted, reasoningEffort: effort, receiptId: requestId, parts: [] },
    ...(!question && { fingerprint }),
  }
  const asks: NewMessage | undefined = question && {
    ...{ messageId: clientId, role: 'user', state: 'complete', fingerprint, parts: question },
    ...{ hosted, reasoningEffort: effort },
  }
  const key = { ...ownerOf(context), conversationId }
  return commitIf(app, (tx) =>
    addMessages(
      tx,
      { key, model: model.id, parentId, messages: asks ? [asks, answer] : [answer] },
      new Date(app.clock.nowMs()),
    ),
  )
}

class NotAdded extends Error {}

/** Commits what `work` wrote if it returns true. */
async function commitIf(
  { db }: Pick<AnswersApp, 'db'>,
  work: (tx: Parameters<Parameters<AnswersApp['db']['tx']>[0]>[0]) => Promise<boolean>,
): Promise<boolean> {
  try {
    await db.tx(async (tx) => {
      if (!(await work(tx))) throw new NotAdded()
    })
    return true
  } catch (error) {
    if (error instanceof NotAdded) return false
    throw error
  }
}
