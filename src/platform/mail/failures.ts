/** The errors for a mail that the server has not taken. */
import type { Localized } from '#platform/errors'
import { refusals } from './phrases.ts'
import type { MailConfig } from './settings.ts'

/** The server will never take this mail: not to this address, or not with this text. */
export class MailRefused extends Error {
  override name = 'MailRefused'
}

/** The server did not take the mail now, but sending it again may help. */
export class MailDeferred extends Error {
  override name = 'MailDeferred'
  readonly why: Localized

  constructor(why: Localized, cause: unknown) {
    super(why.en, { cause })
    this.why = why
  }
}

/** The fields that nodemailer adds to its errors. */
interface SmtpError {
  code?: string
  originalCode?: string
  command?: string
  response?: string
  responseCode?: number
}

export function failureOf(error: unknown, config: MailConfig, to?: string): MailRefused | MailDeferred {
  if (isPermanent(error as SmtpError)) return new MailRefused('the mail server refused it', { cause: error })
  return new MailDeferred(deferralReason(error as Error & SmtpError, config, to), error)
}

/**
 * Whether a 5xx refuses the address or the text for good (RFC 5321); a 5xx about the login is for the operator to correct, and the mail is sent
 * again.
 */
const isPermanent = ({ responseCode = 0, command }: SmtpError): boolean =>
  responseCode >= 500 && responseCode < 600 && (command === 'RCPT TO' || command === 'DATA')

function deferralReason(
  error: Error & SmtpError,
  { host, port }: MailConfig,
  to: string | undefined,
): Localized {
  const server = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const code = error.originalCode ?? error.code ?? ''
  if (/CERT|SIGNED|ISSUER/.test(code)) return refusals.certificate(server, code)
  if (error.response === undefined) return refusals.away(server, code || shortened(error.message, to))
  const said = shortened(error.response, to)
  return error.code === 'EAUTH' ? refusals.login(server, said) : refusals.answered(server, said)
}

const maxDetailLength = 200

/** The text as one short line, without the recipient's address, which servers repeat in their answers. */
function shortened(text: string, to: string | undefined): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they would end a line of the log.
  const line = text.slice(0, 1_000).replace(/[\s\u0000-\u001f\u007f]+/g, ' ')
  const masked = to === undefined ? line : without(line, to)
  return masked.length > maxDetailLength ? `${masked.slice(0, maxDetailLength)}…` : masked
}

function without(line: string, to: string): string {
  const at = line.toLowerCase().indexOf(to.toLowerCase())
  return at === -1 ? line : `${line.slice(0, at)}…${without(line.slice(at + to.length), to)}`
}
