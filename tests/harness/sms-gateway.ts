/** A gateway of text messages that takes every message and keeps the request as it came, so that tests read what people would. */
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { freePort } from './free-port.ts'
import { until } from './until.ts'
import { whileHere } from './while-here.ts'

export interface SmsRequest {
  method: string
  path: string
  headers: Record<string, string | string[] | undefined>
  body: string
}

export class SmsGateway implements AsyncDisposable {
  readonly received: SmsRequest[] = []
  /** Answers that are given in place of taking messages, each once. */
  readonly answers: ((response: ServerResponse) => void)[] = []
  readonly #server: Server

  constructor() {
    this.#server = createServer(
      whileHere(async (request, response) => {
        let body = ''
        for await (const chunk of request.setEncoding('utf8')) body += chunk
        const { method = '', url = '', headers } = request
        this.received.push({ method, path: url, headers, body })
        const answer = this.answers.shift()
        if (answer) return answer(response)
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":1}')
      }),
    )
  }

  static async start(): Promise<SmsGateway> {
    const gateway = new SmsGateway()
    // One that nobody else is given while it is away.
    gateway.#server.listen(await freePort(), '127.0.0.1')
    await once(gateway.#server, 'listening')
    return gateway
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`
  }

  /** For kherad.config.yaml, which has to permit the loopback network too; `more`: further members of the section, a line each. */
  config(...more: string[]): string {
    const lines = [
      `url: ${this.url}/send/gateway-key`,
      'template: { to: "{to:09}", code: "{code}" }',
      'changed: { to: "{to:09}", text: changed }',
      'success: { pointer: /status, equals: 1 }',
      ...more,
    ]
    return `sms:\n${lines.map((line) => `  ${line}\n`).join('')}`
  }

  /** What was sent to a number in its national form, once as many messages have come. */
  async sentTo(number: string, count = 1): Promise<{ code?: string; text?: string }[]> {
    const all = () => this.received.map(({ body }) => JSON.parse(body)).filter(({ to }) => to === number)
    await until(() => all().length >= count)
    return all()
  }

  /** The newest code to a number, once as many messages have come. */
  async codeTo(number: string, count = 1): Promise<string> {
    return (await this.sentTo(number, count)).findLast(({ code }) => code !== undefined)!.code!
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}
