import { job, type TextJobsApp } from './app.ts'
import { beginText, endText, requeueText, type TextRow } from './store.ts'

export const sealedFor = (messageId: string): string => `people.text_messages ${messageId}`

/** The pause before a message is tried again that never reached the gateway. */
const retryMs = 5_000

/**
 * Sends one message, at most once. A run that finds it begun follows a process that died while it asked the gateway, which may have sent it: the message ends as
 * `unknown`, and the person can ask for another. Only what certainly never reached the gateway is tried again, while its code is valid.
 */
export const textJob = job<{ messageId: string }>({
  name: 'phones.send',
  limits: () => ({ perAccount: 8, perProcess: 4 }),
  async handle({ app, data: { messageId }, signal }) {
    signal.throwIfAborted()
    const text = await beginText(app.db, messageId)
    if (!text) return end(app, messageId, 'unknown')
    if (!app.sms || text.expires_at <= new Date(app.clock.nowMs())) {
      app.metrics.sms.inc({ result: 'expired' })
      return end(app, messageId, 'expired')
    }
    const message = { to: text.number, ...(await codeOf(app, text)) }
    const { outcome } = await app.sms.send(message, signal)
    if (outcome !== 'unreached') return end(app, messageId, outcome)
    await requeueText(app.db, messageId)
    return { laterMs: retryMs }
  },
})

async function codeOf(
  { secrets }: TextJobsApp,
  { message_id: messageId, code_sealed: sealed }: TextRow,
): Promise<{ code?: string }> {
  return sealed === null ? {} : { code: await secrets.open(sealed, sealedFor(messageId)) }
}

async function end(
  { clock, db }: TextJobsApp,
  messageId: string,
  state: 'sent' | 'refused' | 'unknown' | 'expired',
): Promise<undefined> {
  await endText(db, messageId, state, new Date(clock.nowMs()))
  return undefined
}
