/**
 * The floor of what a gateway in Node costs: `node bench/bare-proxy.ts PORT UPSTREAM`. node:http in front, undici's pool of connections
 * behind, one `JSON.parse` of each request, of each answer and of each event of a stream, and nothing else: no key, no money, no log.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { StringDecoder } from 'node:string_decoder'
import { type Dispatcher, Pool } from 'undici'

const [port = '0', upstream = ''] = process.argv.slice(2)
// As many connections as calls, as at Kherad.
const pool = new Pool(upstream, { pipelining: 1 })

createServer({ noDelay: true, keepAlive: true }, (request, response) => {
  let body = ''
  request.setEncoding('utf8')
  request.on('data', (text: string) => {
    body += text
  })
  request.on('end', () => forward(request, body, response))
}).listen(Number(port), '127.0.0.1')

function forward(request: IncomingMessage, body: string, response: ServerResponse): void {
  const path = request.url!
  if (request.method !== 'POST') {
    response.end()
    return
  }
  const parsed: { stream?: boolean } = JSON.parse(body)
  const answer = parsed.stream ? new StreamedAnswer(response) : new WholeAnswer(response)
  const headers = { 'content-type': 'application/json', authorization: 'Bearer none' }
  pool.dispatch({ method: 'POST', path, headers, body }, answer)
}

/** What both kinds of answers share: a caller who leaves ends the call. */
abstract class Answer implements Dispatcher.DispatchHandler {
  protected readonly response: ServerResponse

  constructor(response: ServerResponse) {
    this.response = response
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.response.on('close', () => {
      if (!this.response.writableFinished) controller.abort(new Error('the caller left'))
    })
  }

  onResponseError(): void {
    this.response.destroy()
  }
}

class WholeAnswer extends Answer {
  #status = 0
  readonly #chunks: Buffer[] = []

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.#status = status
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    const body = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks)
    JSON.parse(body.toString())
    const headers = { 'content-type': 'application/json', 'content-length': body.length }
    this.response.writeHead(this.#status, headers).end(body)
  }
}

class StreamedAnswer extends Answer {
  readonly #decoder = new StringDecoder('utf8')
  #rest = ''

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    this.response.writeHead(status, { 'content-type': 'text/event-stream' })
    this.response.on('drain', () => controller.resume())
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const events = (this.#rest + this.#decoder.write(chunk)).split('\n\n')
    this.#rest = events.pop()!
    for (const event of events) if (event !== 'data: [DONE]') JSON.parse(event.slice('data: '.length))
    if (!this.response.write(chunk)) controller.pause()
  }

  onResponseEnd(): void {
    this.response.end()
  }
}
