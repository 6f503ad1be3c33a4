/** Answers whose process died, or whose beginning failed: each ends with what was flushed, and costs nothing. */
import { endMessage, findLostMessages } from '../message-store.ts'
import type { AnswersApp } from './app.ts'
import { findOwnStreaming } from './store.ts'

/** How many messages are ended in one transaction. */
const batchSize = 200
/** A message of this process that is no answer under way is one whose beginning failed; so long a beginning may take. */
const beginMs = 30_000

/**
 * Ends the messages of dead processes, and those of this process that are not `isLive`; returns the ids. Their holds end free of charge by the sweep of
 * the ledger, which judges by the same lives: a hold of an answer whose message did not end with it is never charged.
 */
export async function endLostAnswers(
  app: AnswersApp,
  isLive: (messageId: string) => boolean,
): Promise<string[]> {
  const { clock, db, processes } = app
  const before = new Date(clock.nowMs() - beginMs)
  const own = (await findOwnStreaming(db, processes.id, before)).filter(({ message_id: id }) => !isLive(id))
  const ended = await endAll(app, own)
  for (let size = batchSize; size === batchSize; ) {
    const lost = await findLostMessages(db, processes, batchSize)
    size = lost.length
    ended.push(...(await endAll(app, lost)))
  }
  return ended
}

async function endAll(
  { clock, db }: AnswersApp,
  lost: readonly { account_id: string; message_id: string }[],
): Promise<string[]> {
  if (lost.length === 0) return []
  const now = new Date(clock.nowMs())
  const end = { state: 'failed', errorCode: 'ANSWER_LOST', microcredits: 0n } as const
  return db.tx(async (tx) => {
    const ended: string[] = []
    for (const { account_id: accountId, message_id: messageId } of lost)
      if (await endMessage(tx, { accountId, messageId }, end, now)) ended.push(messageId)
    return ended
  })
}
