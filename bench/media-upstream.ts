/**
 * An upstream for benchmarks of media: `node bench/media-upstream.ts PORT MEGABYTES`. It answers pictures of about so many megabytes, a second of
 * speech, a sentence of transcript and vectors of 256 numbers at once, and counts nothing.
 */
import { createServer } from 'node:http'
import sharp from 'sharp'
import { encodeWhole } from '#core/sound'

const [port = 0, megabytes = 1] = process.argv.slice(2).map(Number)
/** Noise hardly shrinks: three bytes a pixel. */
const side = Math.round(Math.sqrt((megabytes * 1_000_000) / 3))
const picture = await sharp({
  create: {
    width: side,
    height: side,
    channels: 3,
    background: '#000',
    noise: { type: 'gaussian', mean: 128, sigma: 80 },
  },
})
  .png()
  .toBuffer()
const drawn = Buffer.from(JSON.stringify({ data: [{ b64_json: picture.toString('base64') }] }))
const rate = 24_000
const samples = Float32Array.from(
  { length: rate },
  (_, at) => 0.3 * Math.sin((at * 2 * Math.PI * 440) / rate),
)
const { bytes: speech } = await encodeWhole([{ rate, samples }], { format: 'mp3', maxBytes: 1e6 })
const vector = Buffer.from(Float32Array.from({ length: 256 }, (_, at) => Math.sin(at)).buffer).toString(
  'base64',
)

const sentence = Buffer.from(JSON.stringify({ text: 'توانا بود هر که دانا بود' }))
const vectorsOf = (body: string): Buffer =>
  Buffer.from(
    JSON.stringify({
      object: 'list',
      data: (JSON.parse(body).input as string[]).map((_, index) => ({
        object: 'embedding',
        index,
        embedding: vector,
      })),
      usage: { prompt_tokens: 1_000, total_tokens: 1_000 },
    }),
  )

createServer({ noDelay: true, keepAlive: true }, (request, response) => {
  const isVectors = request.url!.endsWith('/embeddings')
  let body = ''
  // Only this is read as text: what a recording costs here would be counted for the server.
  request.on('data', (bytes: Buffer) => {
    if (isVectors) body += bytes.toString('latin1')
  })
  request.on('end', () => {
    const isSpeech = request.url!.endsWith('/audio/speech')
    const answer = isSpeech
      ? speech
      : request.url!.endsWith('/transcriptions')
        ? sentence
        : isVectors
          ? vectorsOf(body)
          : request.method === 'POST'
            ? drawn
            : Buffer.from('{}')
    response.writeHead(200, {
      'content-type': isSpeech ? 'audio/mpeg' : 'application/json',
      'content-length': answer.length,
    })
    response.end(answer)
  })
}).listen(port, '127.0.0.1')
