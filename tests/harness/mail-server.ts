/** A mail server that takes every mail and keeps it, so that tests read what people would. */
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { until } from './until.ts'

export interface Received {
  from: string
  to: string[]
  /** As it came, with its headers. */
  raw: string
  headers: Map<string, string>
  text: string
  html: string
}

export interface MailServerOptions {
  /** Refuses recipients for good that this is true for. */
  refuses?: (address: string) => boolean
}

export class MailServer implements AsyncDisposable {
  readonly received: Received[] = []
  /** Answers that are given in place of taking mails, each once: `451 try again`. */
  readonly failures: string[] = []
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #options: MailServerOptions

  constructor(options: MailServerOptions) {
    this.#options = options
    this.#server = createServer((socket) => this.#serve(socket))
  }

  static async start(options: MailServerOptions = {}): Promise<MailServer> {
    const server = new MailServer(options)
    server.#server.listen(0, '127.0.0.1')
    await once(server.#server, 'listening')
    return server
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port
  }

  /** For kherad.config.yaml. */
  get config(): string {
    return `mail:\n  host: 127.0.0.1\n  port: ${this.port}\n  from: Kherad <no-reply@example.org>\n`
  }

  /** The newest mail to an address, once as many have come to it. */
  async mailTo(address: string, count = 1): Promise<Received> {
    await until(() => this.to(address).length >= count)
    return this.to(address).at(-1)!
  }

  to(address: string): Received[] {
    return this.received.filter(({ to }) => to.includes(address))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('error', () => undefined)
    const session = { from: '', to: [] as string[], inData: false }
    let rest = ''
    socket.setEncoding('utf8')
    socket.write('220 test ESMTP\r\n')
    socket.on('data', (chunk: string) => {
      rest += chunk
      for (let end = this.#next(rest, session.inData); end > 0; end = this.#next(rest, session.inData)) {
        const piece = rest.slice(0, end)
        rest = rest.slice(end)
        socket.write(`${this.#answer(piece, session)}\r\n`)
      }
    })
  }

  #next(rest: string, inData: boolean): number {
    const mark = inData ? '\r\n.\r\n' : '\r\n'
    const at = rest.indexOf(mark)
    return at === -1 ? 0 : at + mark.length
  }

  #answer(piece: string, session: { from: string; to: string[]; inData: boolean }): string {
    if (session.inData) {
      session.inData = false
      const failure = this.failures.shift()
      if (failure !== undefined) return failure
      this.received.push(readMail(piece.slice(0, -5), session.from, [...session.to]))
      session.to = []
      return '250 taken'
    }
    const line = piece.trimEnd()
    const address = /<([^>]*)>/.exec(line)?.[1] ?? ''
    if (/^EHLO/i.test(line)) return '250-test\r\n250-8BITMIME\r\n250 SMTPUTF8'
    if (/^MAIL FROM/i.test(line)) session.from = address
    if (/^RCPT TO/i.test(line)) {
      if (this.#options.refuses?.(address)) return '550 no such mailbox'
      session.to.push(address)
    }
    if (/^DATA/i.test(line)) {
      session.inData = true
      return '354 go on'
    }
    return /^QUIT/i.test(line) ? '221 bye' : '250 ok'
  }
}

function readMail(raw: string, from: string, to: string[]): Received {
  const end = raw.indexOf('\r\n\r\n')
  const headers = headersOf(raw.slice(0, end))
  const boundary = /boundary="?([^";]+)"?/.exec(headers.get('content-type') ?? '')?.[1]
  const parts = raw.split(`--${boundary}`).map((part) => part.trim())
  const bodyOf = (type: string): string => {
    const part = parts.find((one) => one.toLowerCase().startsWith(`content-type: ${type}`)) ?? ''
    const split = part.indexOf('\r\n\r\n')
    return decode(
      part.slice(split + 4),
      headersOf(part.slice(0, split)).get('content-transfer-encoding') ?? '7bit',
    )
  }
  return { from, to, raw, headers, text: bodyOf('text/plain'), html: bodyOf('text/html') }
}

function headersOf(text: string): Map<string, string> {
  const lines = text.replace(/\r\n[ \t]+/g, ' ').split('\r\n')
  return new Map(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
}

function decode(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8')
  if (encoding !== 'quoted-printable') return body
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
