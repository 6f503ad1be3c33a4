/**
 * An upstream for benchmarks that streams chat completions at a steady pace: `node bench/paced-upstream.ts PORT TOKENS PACE_MS`. Each token
 * contains the time at which it was written (milliseconds with fraction, on the clock that the machine's processes share), so that the
 * reading process knows its transit time.
 */
import { createServer } from 'node:http'

const [port = '0', tokens = '50', paceMs = '20'] = process.argv.slice(2)

export const nowMs = (): number => performance.timeOrigin + performance.now()

const head =
  '{"id":"chatcmpl-paced","object":"chat.completion.chunk","created":1,"model":"paced","choices":[{"index":0,"delta":'
const event = (delta: string, finish: string): string =>
  `data: ${head}${delta},"finish_reason":${finish}}]}\n\n`
const usage = `data: {"id":"chatcmpl-paced","object":"chat.completion.chunk","created":1,"model":"paced","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":${tokens},"total_tokens":${10 + Number(tokens)}}}\n\n`

createServer({ noDelay: true, keepAlive: true }, (request, response) => {
  request.resume()
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const startMs = nowMs()
    let sent = 0
    let timer: NodeJS.Timeout | undefined
    // Each token has its own due time: fixed intervals would synchronise, and all streams would write at once.
    const write = (): void => {
      response.write(event(`{"content":" ${nowMs().toFixed(3)}"}`, 'null'))
      if (++sent < Number(tokens))
        timer = setTimeout(write, Math.max(0, startMs + sent * Number(paceMs) - nowMs()))
      else response.end(`${event('{}', '"stop"')}${usage}data: [DONE]\n\n`)
    }
    response.on('close', () => clearTimeout(timer))
    write()
  })
}).listen(Number(port), '127.0.0.1')
