/**
 * An upstream for benchmarks that streams chat completions at a steady pace: `node bench/paced-upstream.ts PORT TOKENS PACE_MS`, as many
 * tokens as the request's `max_tokens`, at most TOKENS. Each token contains the time at which it was written (milliseconds with fraction, on
 * the clock that the machine's processes share), so that the reading process knows its transit time. A request whose prompt is `flood` gets
 * its tokens as fast as its socket takes them. A GET answers how many bytes of these were written.
 */
import { createServer, type ServerResponse } from 'node:http'

const [port = '0', maxTokens = '50', paceMs = '20'] = process.argv.slice(2)
let floodedBytes = 0

const nowMs = (): number => performance.timeOrigin + performance.now()

const head =
  '{"id":"chatcmpl-paced","object":"chat.completion.chunk","created":1,"model":"paced","choices":[{"index":0,"delta":'
const event = (delta: string, finish: string): string =>
  `data: ${head}${delta},"finish_reason":${finish}}]}\n\n`
const ending = (tokens: number): string =>
  `${event('{}', '"stop"')}data: {"id":"chatcmpl-paced","object":"chat.completion.chunk","created":1,"model":"paced","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":${tokens},"total_tokens":${10 + tokens}}}\n\ndata: [DONE]\n\n`

createServer({ noDelay: true, keepAlive: true }, (request, response) => {
  let body = ''
  request.setEncoding('utf8')
  request.on('data', (text: string) => {
    body += text
  })
  request.on('end', () => {
    if (request.method === 'GET') {
      response.end(JSON.stringify({ floodedBytes }))
      return
    }
    const { max_tokens = Number(maxTokens), messages } = JSON.parse(body)
    const tokens = Math.min(max_tokens, Number(maxTokens))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (messages[0].content === 'flood') flood(response, max_tokens)
    else pace(response, tokens)
  })
}).listen(Number(port), '127.0.0.1')

function pace(response: ServerResponse, tokens: number): void {
  const startMs = nowMs()
  let sent = 0
  let timer: NodeJS.Timeout | undefined
  // Each token has its own due time: fixed intervals would synchronise, and all streams would write at once.
  const write = (): void => {
    response.write(event(`{"content":" ${nowMs().toFixed(3)}"}`, 'null'))
    if (++sent < tokens) timer = setTimeout(write, Math.max(0, startMs + sent * Number(paceMs) - nowMs()))
    else response.end(ending(tokens))
  }
  response.on('close', () => clearTimeout(timer))
  write()
}

/** Tokens of 120 bytes. */
function flood(response: ServerResponse, tokens: number): void {
  const token = event(JSON.stringify({ content: 'flood '.repeat(20) }), 'null')
  let sent = 0
  const write = (): void => {
    while (sent < tokens) {
      sent++
      floodedBytes += token.length
      if (!response.write(token)) return
    }
    response.end(ending(tokens))
  }
  response.on('drain', write)
  write()
}
