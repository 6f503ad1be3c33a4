/** Mails through the operator's server (SMTP). Whoever sends one has counted it and can send it again (docs/decisions/0076). */
import { deadlines } from '#platform/clock'
import { type Outbound, openTunnel } from '#platform/proxy'
import type { MailConfig } from './settings.ts'

export interface Letter {
  /** An address alone; it is neither parsed nor may it hold another. */
  to: string
  subject: string
  text: string
  html: string
  /** Stays the same where the mail is sent again, so that a mailbox can see that it is one. */
  id: string
}

/** The server will never take this mail: not for this address, or not this text. */
export class MailRefused extends Error {
  override name = 'MailRefused'
}

export interface Mailer {
  /** Resolves when the server has taken it. Throws `MailRefused`, and other errors where sending it again may help. */
  send(letter: Letter, signal: AbortSignal): Promise<void>
}

const connectMs = 15_000
const silentMs = 30_000
/** From the lookup of the name to the server's answer. */
const wholeMs = 60_000

export const openMailer = (config: MailConfig, outbound: Outbound): Mailer => new SmtpMailer(config, outbound)

class SmtpMailer implements Mailer {
  readonly #config: MailConfig
  readonly #outbound: Outbound

  constructor(config: MailConfig, outbound: Outbound) {
    this.#config = config
    this.#outbound = outbound
  }

  async send({ to, subject, text, html, id }: Letter, signal: AbortSignal): Promise<void> {
    const { from, host } = this.#config
    // With the first mail: a server that sends none does without it.
    const { createTransport } = await import('nodemailer')
    const end = new AbortController()
    const late = deadlines.in(wholeMs, () => end.abort(new Error('the mail server took too long')))
    const transport = createTransport(
      await this.#options(AbortSignal.any([signal, end.signal])).catch((error: unknown) => {
        late.cancel()
        throw error
      }),
    )
    const ended = new Promise<never>((_, reject) => {
      const stop = (): void => {
        transport.close()
        reject((signal.aborted ? signal : end.signal).reason)
      }
      signal.addEventListener('abort', stop, { once: true })
      end.signal.addEventListener('abort', stop, { once: true })
    })
    ended.catch(() => undefined)
    try {
      const sending = transport.sendMail({
        from,
        to: { name: '', address: to },
        envelope: { from: from.address, to: [to] },
        subject,
        text,
        html,
        messageId: `<${id}@${host}>`,
        // RFC 3834: vacation notices are not sent in answer.
        headers: { 'Auto-Submitted': 'auto-generated' },
        disableFileAccess: true,
        disableUrlAccess: true,
      })
      sending.catch(() => undefined)
      await Promise.race([sending, ended])
    } catch (error) {
      throw isLasting(error) ? new MailRefused('the mail server refused it', { cause: error }) : error
    } finally {
      late.cancel()
      transport.close()
    }
  }

  async #options(signal: AbortSignal) {
    const { host, port, secure, login, proxy, ca } = this.#config
    const egress = this.#outbound.to(`https://${hostInUrl(host)}:${port}`, { proxy: proxy ?? 'direct', ca })
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
    }
  }
}

const hostInUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host)

const isOwnMachine = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\./.test(host)

/** A 5xx about the address or the text (RFC 5321); one about the login is the operator's to correct, and is tried again. */
function isLasting(error: unknown): boolean {
  const { responseCode = 0, command } = error as { responseCode?: number; command?: string }
  return responseCode >= 500 && responseCode < 600 && (command === 'RCPT TO' || command === 'DATA')
}
