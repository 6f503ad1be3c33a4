/** Sends mails through the operator's server (SMTP). The caller counts each mail, and can send it again. */
import type { Transporter } from 'nodemailer'
import { deadlines } from '#platform/clock'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import { type Outbound, openTunnel } from '#platform/proxy'
import { failureOf, MailDeferred, MailRefused } from './failures.ts'
import type { MailConfig } from './settings.ts'

export { MailDeferred, MailRefused } from './failures.ts'
export { mailSeries } from './metrics.ts'
export { maxMailAgeMs, retryPauseMs } from './retry.ts'

export interface Letter {
  /** A single address. It is not parsed, so it must not contain another one. */
  to: string
  subject: string
  text: string
  html: string
  /** The id is the same if the mail is sent again, so that a mailbox can detect the duplicate. */
  id: string
}

export interface Mailer {
  /** Resolves when the server has taken the mail. Throws `MailRefused`, or `MailDeferred` if sending it again may help. */
  send(letter: Letter, signal: AbortSignal): Promise<void>
}

export interface MailerOptions {
  config: MailConfig
  outbound: Outbound
  log: Log
  metrics: Metrics
}

const connectMs = 15_000
const silentMs = 30_000
/** The time for a whole mail, from the lookup of the server's name to its answer. */
const wholeMs = 60_000
/** The longest server answer that is read. */
const maxAnswerLength = 64 * 1024
/** How often a server that is away is reported, however many mails wait for it. */
const reportMs = 60_000

export const openMailer = (options: MailerOptions): Mailer => new SmtpMailer(options)

/** Connects, logs in and disconnects. Throws `MailDeferred`, which says why mails cannot be sent. */
export async function tryMailServer(
  config: MailConfig,
  outbound: Outbound,
  signal: AbortSignal,
): Promise<void> {
  try {
    await withTransport(config, outbound, signal, (transport) => transport.verify())
  } catch (error) {
    throw failureOf(error, config)
  }
}

class SmtpMailer implements Mailer {
  readonly #options: MailerOptions
  /** No failure is reported before this time, in milliseconds of `performance.now()`. */
  #quietUntilMs = 0

  constructor(options: MailerOptions) {
    this.#options = options
  }

  async send(letter: Letter, signal: AbortSignal): Promise<void> {
    const { config, outbound, metrics } = this.#options
    try {
      await withTransport(config, outbound, signal, (transport) => transport.sendMail(mailOf(letter, config)))
    } catch (error) {
      signal.throwIfAborted()
      const failure = failureOf(error, config, letter.to)
      metrics.mails.inc({ result: failure instanceof MailRefused ? 'refused' : 'deferred' })
      if (failure instanceof MailDeferred) this.#report(failure)
      throw failure
    }
    metrics.mails.inc({ result: 'sent' })
  }

  #report({ message }: MailDeferred): void {
    const nowMs = performance.now()
    if (nowMs < this.#quietUntilMs) return
    this.#quietUntilMs = nowMs + reportMs
    this.#options.log.warn({}, `a mail was not taken and is sent again: ${message}`)
  }
}

function mailOf({ to, subject, text, html, id }: Letter, { from, host }: MailConfig) {
  return {
    from,
    to: { name: '', address: to },
    envelope: { from: from.address, to: [to] },
    subject,
    text,
    html,
    messageId: `<${id}@${host}>`,
    // The header prevents vacation notices in reply (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** Runs `act` with a connection of its own, which is closed in any case, at the latest after `wholeMs`. */
async function withTransport(
  config: MailConfig,
  outbound: Outbound,
  signal: AbortSignal,
  act: (transport: Transporter) => Promise<unknown>,
): Promise<void> {
  const late = new AbortController()
  const deadline = deadlines.in(wholeMs, () => late.abort(new Error('it took too long')))
  const end = AbortSignal.any([signal, late.signal])
  let transport: Transporter | undefined
  try {
    end.throwIfAborted()
    // nodemailer is loaded with the first mail, so that a server that sends none does not need it.
    const { createTransport } = await import('nodemailer')
    transport = createTransport(await transportOptions(config, outbound, end))
    await Promise.race([act(transport), aborted(end)])
  } finally {
    deadline.cancel()
    transport?.close()
  }
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

async function transportOptions(
  { host, port, secure, login, proxy, ca }: MailConfig,
  outbound: Outbound,
  signal: AbortSignal,
) {
  const egress = outbound.egressTo(`https://${hostInUrl(host)}:${port}`, { proxy: proxy ?? 'direct', ca })
  const tunnel =
    egress.proxy && (await openTunnel(egress.proxy, { host, port }, { trust: egress.trust, signal }))
  return {
    host,
    port,
    secure,
    // A password never leaves in plain text, except to this machine itself.
    requireTLS: !secure && login !== undefined && !isOwnMachine(host),
    ...(login && { auth: { user: login.user, pass: login.password } }),
    ...(tunnel && { connection: tunnel }),
    ...(egress.trust && { tls: { secureContext: egress.trust } }),
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: silentMs,
    maxResponseSize: maxAnswerLength,
  }
}

const hostInUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host)

const isOwnMachine = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\./.test(host)
