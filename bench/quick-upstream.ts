/**
 * An upstream for benchmarks that answers every chat completion at once: `node bench/quick-upstream.ts PORT`. With `stream` in the request:
 * 100 events of text, several in one write, as a vendor's front end sends them under load. All else is answered 200, so that traces can be
 * sent here too.
 */
import { createServer } from 'node:http'

const events = 100
/** Writes of one stream; each has a turn of the event loop of its own. */
const writes = 4

const envelope = { id: 'chatcmpl-quick', created: 1_790_000_000, model: 'upstream-model' }
const words = Array.from({ length: events }, (_, place) => ` word${place}`)
const usage = { prompt_tokens: 17, completion_tokens: events, total_tokens: 17 + events }

const whole = Buffer.from(
  JSON.stringify({
    ...envelope,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'The sea is wide, and older than all who sail it.' },
        finish_reason: 'stop',
      },
    ],
    usage: { prompt_tokens: 17, completion_tokens: 12, total_tokens: 29 },
  }),
)

const event = (choices: object[], more: object = {}): string =>
  `data: ${JSON.stringify({ ...envelope, object: 'chat.completion.chunk', choices, ...more })}\n\n`
const delta = (delta: object, finish: string | null = null): string =>
  event([{ index: 0, delta, logprobs: null, finish_reason: finish }])

const stream = pieces([
  delta({ role: 'assistant', content: '' }),
  ...words.map((content) => delta({ content })),
  delta({}, 'stop'),
  event([], { usage }),
  'data: [DONE]\n\n',
])

function pieces(all: string[]): Buffer[] {
  const share = Math.ceil(all.length / writes)
  return Array.from({ length: writes }, (_, at) =>
    Buffer.from(all.slice(at * share, (at + 1) * share).join('')),
  )
}

const json = { 'content-type': 'application/json', 'content-length': whole.length }

createServer({ noDelay: true, keepAlive: true }, (request, response) => {
  let body = ''
  request.setEncoding('latin1')
  request.on('data', (text: string) => {
    body += text
  })
  request.on('end', () => {
    if (!request.url!.endsWith('/chat/completions')) response.end('{}')
    else if (!body.includes('"stream":true')) response.writeHead(200, json).end(whole)
    else {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      let place = 0
      const write = (): void => {
        const piece = stream[place++]
        if (piece === undefined) response.end()
        else {
          response.write(piece)
          setImmediate(write)
        }
      }
      write()
    }
  })
}).listen(Number(process.argv[2] ?? 0), '127.0.0.1')
