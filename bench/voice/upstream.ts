/**
 * The models of a call, scripted: `node bench/voice/upstream.ts PORT`. A transcription answers after 150 ms, a text model begins after 300 ms and speech
 * after 150 ms; a realtime model, after 300 ms, speaks for 4.8 s. Speech is a tone of one loudness, 60 ms for each character, so that a load generator sees when it is lowered.
 */
import { createServer, type ServerResponse } from 'node:http'
import { serveRealtime } from './realtime-upstream.ts'

const delayMs = { transcription: 150, text: 300, speech: 150 } as const
const samplesPerCharacter = 24 * 60
const question = 'پایتخت ایران کجاست؟'
const deltas = [
  'پایتخت ایران ',
  'شهر تهران است. ',
  'این شهر در دامنهٔ ',
  'کوه البرز است و ',
  'میلیون‌ها نفر در آن زندگی می‌کنند.',
]

const toneOf = (characters: number): Buffer => {
  const samples = new Int16Array(characters * samplesPerCharacter)
  for (let at = 0; at < samples.length; at++)
    samples[at] = 8_000 * Math.sin((2 * Math.PI * 220 * at) / 24_000)
  return Buffer.from(samples.buffer)
}

const event = (choice: object, more: object = {}): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, ...choice }], ...more })}\n\n`

function answerText(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const content of deltas) response.write(event({ delta: { content }, finish_reason: null }))
  const usage = { prompt_tokens: 50, completion_tokens: 30, total_tokens: 80 }
  response.end(`${event({ delta: {}, finish_reason: 'stop' }, { usage })}data: [DONE]\n\n`)
}

const server = createServer({ noDelay: true, keepAlive: true }, (request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    const after = (ms: number, then: () => void): void => void setTimeout(then, ms)
    if (request.url!.endsWith('/chat/completions')) after(delayMs.text, () => answerText(response))
    else if (request.url!.endsWith('/audio/transcriptions'))
      after(delayMs.transcription, () => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ text: question }))
      })
    else if (request.url!.endsWith('/audio/speech')) {
      const { input } = JSON.parse(Buffer.concat(parts).toString()) as { input: string }
      after(delayMs.speech, () =>
        response.writeHead(200, { 'content-type': 'audio/pcm' }).end(toneOf(input.length)),
      )
    } else response.end()
  })
})
serveRealtime(server, toneOf(80))
server.listen(Number(process.argv[2]), '127.0.0.1')
