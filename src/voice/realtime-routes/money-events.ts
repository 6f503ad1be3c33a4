import type { CallSession, EndReason, MoneyListener } from '#voice/realtime'

type MoneySession = Pick<CallSession, 'end' | 'warn' | 'announceEnd'>

/** Passes the messages of a call's money on to its session, which may join later. */
export class MoneyEventForwarder implements MoneyListener {
  #session: MoneySession | undefined
  #reason: EndReason | undefined
  #isWarned = false
  #stopSeconds: number | undefined

  join(session: MoneySession): void {
    this.#session = session
    if (this.#isWarned) session.warn()
    if (this.#stopSeconds !== undefined) session.announceEnd('stopped', this.#stopSeconds)
    if (this.#reason) session.end(this.#reason)
  }

  end(reason: EndReason): void {
    this.#reason = reason
    this.#session?.end(reason)
  }

  warn(): void {
    this.#isWarned = true
    this.#session?.warn()
  }

  stopping(seconds: number): void {
    this.#stopSeconds = seconds
    this.#session?.announceEnd('stopped', seconds)
  }
}
