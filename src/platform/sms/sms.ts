/**
 * Sends text messages through one HTTP gateway, which the configuration describes (docs/decisions/account/phones.md). Each message costs money, so nothing
 * is sent twice: the caller records a message as begun before it is sent, and repeats only what never reached the gateway.
 */

import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import type { GuardedClient } from '#platform/net'
import { judgeAnswer, judgeFailure, type SmsResult } from './answer.ts'
import { reasons } from './phrases.ts'
import { requestOf, type TextMessage } from './request.ts'
import type { SmsConfig } from './settings.ts'

export type { SmsOutcome, SmsResult } from './answer.ts'
export { smsSeries } from './metrics.ts'
export type { TextMessage } from './request.ts'

export interface SmsSender {
  /** Asks the gateway once. Never throws for what the gateway does; throws the signal's reason. */
  send(message: TextMessage, signal: AbortSignal): Promise<SmsResult>
}

/** The longest answer that is read. */
const maxAnswerBytes = 64 * 1024
/** How often a gateway that takes no messages is reported, however many wait for it. */
const reportMs = 60_000

export const openSms = (options: SmsOptions): SmsSender => new Gateway(options)

export interface SmsOptions {
  config: SmsConfig
  net: GuardedClient
  log: Log
  metrics: Metrics
}

/** Asks the gateway once, without counts and log. */
export async function askGateway(
  config: SmsConfig,
  net: GuardedClient,
  message: TextMessage,
  signal: AbortSignal,
): Promise<SmsResult> {
  const request = requestOf(config, message)
  if (!request) return { outcome: 'refused', why: reasons.noTemplate }
  const { url, ...rest } = request
  const bounds = { timeoutMs: config.timeoutMs, maxBytes: maxAnswerBytes, signal }
  try {
    return judgeAnswer(config, await net.fetch(url, { ...rest, ...bounds, protocols: ['https:', 'http:'] }))
  } catch (error) {
    return judgeFailure(error)
  }
}

class Gateway implements SmsSender {
  readonly #options: SmsOptions
  /** No failure is reported before this time, in milliseconds of `performance.now()`. */
  #quietUntilMs = 0

  constructor(options: SmsOptions) {
    this.#options = options
  }

  async send(message: TextMessage, signal: AbortSignal): Promise<SmsResult> {
    const { config, net, metrics } = this.#options
    const result = await askGateway(config, net, message, signal)
    metrics.sms.inc({ result: result.outcome })
    if (result.why) this.#report(result.why.en)
    return result
  }

  #report(why: string): void {
    const nowMs = performance.now()
    if (nowMs < this.#quietUntilMs) return
    this.#quietUntilMs = nowMs + reportMs
    this.#options.log.warn({}, `a text message was not sent: ${why}`)
  }
}
