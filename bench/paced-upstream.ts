/**
 * An upstream for benchmarks that speaks chat completions at a steady pace: `node bench/paced-upstream.ts PORT TOKENS PACE_MS`.
 * Each token is the time at which it was written (milliseconds with fraction, one clock for the machine), so that the process that
 * reads it knows how long it was under way.
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
    // Each token has its own moment: intervals of one length drift into step, and all streams would speak at once.
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
