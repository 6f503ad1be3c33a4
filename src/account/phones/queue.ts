/** Text messages are queued in the transaction of what they tell, and sent by a job after it has committed. */
import type { Tx } from '#platform/db'
import { uuidv7 } from '#platform/ids'
import { platformAccount } from '#platform/jobs'
import type { PhonesApp } from './app.ts'
import { hasRoomForCode, takeMessage } from './budget.ts'
import { sealedFor, textJob } from './send.ts'
import { insertText } from './store.ts'

/** A code to a number. */
export interface CodeMessage {
  /** The number is written in E.164. */
  number: string
  personId: string
  code: string
  /** When the code ends; a message that is late is not sent. */
  expiresAt: Date
  /** Nobody has proven the number yet. */
  isNewNumber?: boolean
  /** It was asked for in a browser in which the person of the number has signed in, for which messages are kept. */
  isOwn?: boolean
}

/** Returns `limited`, and queues nothing, where the number had one within a minute or enough of them in an hour, or the day's messages are spent. */
export async function queueCode(
  app: PhonesApp,
  tx: Tx,
  { number, personId, code, expiresAt, isNewNumber = false, isOwn = false }: CodeMessage,
  now: Date,
): Promise<'queued' | 'limited'> {
  if (!(await hasRoomForCode(tx, number, isOwn, now))) return 'limited'
  if (!(await takeMessage(app, tx, isNewNumber, now))) return 'limited'
  await put(app, tx, { number, personId, kind: 'code', code, expiresAt }, now)
  return 'queued'
}

/** A number that was changed or removed hears of it for so long. */
const changedMs = 60 * 60_000

/** Tells a number that it was changed or removed, where the configuration has a template for that and the day a message left. */
export async function queueChanged(
  app: PhonesApp,
  tx: Tx,
  { number, personId }: { number: string; personId: string },
  now: Date,
): Promise<void> {
  if (app.config.sms?.changedTemplate === undefined) return
  if (!(await takeMessage(app, tx, false, now))) return
  const expiresAt = new Date(now.getTime() + changedMs)
  await put(app, tx, { number, personId, kind: 'changed', expiresAt }, now)
}

async function put(
  app: PhonesApp,
  tx: Tx,
  text: { number: string; personId: string; kind: 'code' | 'changed'; code?: string; expiresAt: Date },
  now: Date,
): Promise<void> {
  const { number, personId, kind, code, expiresAt } = text
  const messageId = uuidv7(now.getTime())
  await insertText(tx, {
    message_id: messageId,
    person_id: personId,
    ...{ number, kind },
    code_sealed: code === undefined ? null : await app.secrets.seal(code, sealedFor(messageId)),
    state: 'queued',
    created_at: now,
    expires_at: expiresAt,
  })
  await app.jobs.enqueue(tx, textJob, { accountId: platformAccount, data: { messageId } })
}
