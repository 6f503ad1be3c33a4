/** A mail server that takes every mail and keeps it, so that tests read what people would. */
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { StringDecoder } from 'node:string_decoder'
import { createSecureContext, TLSSocket } from 'node:tls'
import type { Certified } from './certificate.ts'
import { freePort } from './free-port.ts'
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
  /** From the first byte, or after STARTTLS, without which it takes no login. */
  tls?: Certified & { from: 'start' | 'starttls' }
  /** Asked of everybody who sends. */
  login?: { user: string; password: string }
}

interface Session {
  from: string
  to: string[]
  inData: boolean
  isSecure: boolean
  isIn: boolean
}

export class MailServer implements AsyncDisposable {
  readonly received: Received[] = []
  /** Answers that are given in place of taking mails, each once: `451 try again`. */
  readonly failures: string[] = []
  /** The first thing it says; undefined: nothing. */
  greeting: string | undefined = '220 test ESMTP'
  /** Passwords that came over a line without TLS. */
  readonly readable: string[] = []
  readonly options: MailServerOptions
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  constructor(options: MailServerOptions) {
    this.options = options
    this.#server = createServer((socket) => this.#greet(socket))
  }

  static async start(options: MailServerOptions = {}): Promise<MailServer> {
    const server = new MailServer(options)
    // One that nobody else is given while it is away.
    server.#server.listen(await freePort(), '127.0.0.1')
    await once(server.#server, 'listening')
    return server
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port
  }

  /** For kherad.config.yaml. */
  get config(): string {
    const { tls, login } = this.options
    const host = tls ? 'localhost' : '127.0.0.1'
    return [
      `mail:\n  host: ${host}\n  port: ${this.port}\n  from: Kherad <no-reply@example.org>\n`,
      login ? `  user: ${login.user}\n  password: ${login.password}\n` : '',
      tls?.from === 'start' ? '  secure: true\n' : '',
    ].join('')
  }

  /** Nobody answers at its port until it listens again. */
  async leave(): Promise<() => Promise<void>> {
    const { port } = this
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
    return async () => {
      this.#server.listen(port, '127.0.0.1')
      await once(this.#server, 'listening')
    }
  }

  /** The newest mail to an address, once as many have come to it. Mails that were queued together come in any order. */
  async mailTo(address: string, count = 1): Promise<Received> {
    await until(() => this.to(address).length >= count)
    return this.to(address).at(-1)!
  }

  /** The newest mail to an address whose text matches, once there is one and as many have come in all. */
  async mailWith(address: string, pattern: RegExp, count = 1): Promise<Received> {
    const matching = () => this.to(address).filter(({ text }) => pattern.test(text))
    await until(() => this.to(address).length >= count && matching().length > 0)
    return matching().at(-1)!
  }

  to(address: string): Received[] {
    return this.received.filter(({ to }) => to.includes(address))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.listening) await this.leave()
  }

  #greet(plain: Socket): void {
    this.#sockets.add(plain)
    plain.on('close', () => this.#sockets.delete(plain))
    plain.on('error', () => undefined)
    const isSecure = this.options.tls?.from === 'start'
    const socket = isSecure ? this.#secured(plain) : plain
    if (this.greeting !== undefined) socket.write(`${this.greeting}\r\n`)
    this.#serve(socket, isSecure)
  }

  #secured(plain: Socket): TLSSocket {
    const secureContext = createSecureContext(this.options.tls!)
    return new TLSSocket(plain, { isServer: true, secureContext }).on('error', () => undefined)
  }

  #serve(socket: Socket, isSecure: boolean): void {
    const session: Session = { from: '', to: [], inData: false, isSecure, isIn: !this.options.login }
    const decoder = new StringDecoder()
    let rest = ''
    const read = (chunk: Buffer): void => {
      rest += decoder.write(chunk)
      for (let end = this.#next(rest, session.inData); end > 0; end = this.#next(rest, session.inData)) {
        const piece = rest.slice(0, end)
        rest = rest.slice(end)
        socket.write(`${this.#answer(piece, session)}\r\n`)
        if (!/^STARTTLS/i.test(piece)) continue
        socket.off('data', read)
        this.#serve(this.#secured(socket), true)
        return
      }
    }
    socket.on('data', read)
  }

  #next(rest: string, inData: boolean): number {
    const mark = inData ? '\r\n.\r\n' : '\r\n'
    const at = rest.indexOf(mark)
    return at === -1 ? 0 : at + mark.length
  }

  #answer(piece: string, session: Session): string {
    if (session.inData) {
      session.inData = false
      const failure = this.failures.shift()
      if (failure !== undefined) return failure
      this.received.push(readMail(piece.slice(0, -5), session.from, [...session.to]))
      session.to = []
      return '250 taken'
    }
    const line = piece.trimEnd()
    if (/^EHLO/i.test(line)) return this.#offers(session)
    if (/^STARTTLS/i.test(line)) return '220 go on'
    if (/^AUTH PLAIN /i.test(line)) return this.#logIn(line.slice(11), session)
    if (!session.isIn) return '530 5.7.0 log in first'
    const address = /<([^>]*)>/.exec(line)?.[1] ?? ''
    if (/^MAIL FROM/i.test(line)) session.from = address
    if (/^RCPT TO/i.test(line)) {
      if (this.options.refuses?.(address)) return '550 no such mailbox'
      session.to.push(address)
    }
    if (/^DATA/i.test(line)) {
      session.inData = true
      return '354 go on'
    }
    return /^QUIT/i.test(line) ? '221 bye' : '250 ok'
  }

  #offers({ isSecure }: Session): string {
    const { tls, login } = this.options
    const offers = [
      ...(tls && !isSecure ? ['STARTTLS'] : []),
      // As careless servers do, before TLS too.
      ...(login ? ['AUTH PLAIN'] : []),
    ]
    return ['250-test', '250-8BITMIME', ...offers.map((offer) => `250-${offer}`), '250 SMTPUTF8'].join('\r\n')
  }

  #logIn(words: string, session: Session): string {
    const [, user, password = ''] = Buffer.from(words, 'base64').toString().split('\0')
    if (!session.isSecure) this.readable.push(password)
    const { login } = this.options
    session.isIn = user === login?.user && password === login?.password
    return session.isIn ? '235 2.7.0 in' : '535 5.7.8 Error: authentication failed'
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
