/** Upstreams that zip although nobody asks for it, and that begin with a byte order mark: they are read as any other, within the same bounds. */
import { brotliCompressSync, constants, createGzip, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { readUntil } from '../harness/read-until.ts'
import { chunk, cut, done, json, type Script, type Step, stall, stream } from '../harness/upstream.ts'
import { chunksOf, contentOf, explained, recover, requestIdOf } from './chat-world.ts'
import { message } from './messages-world.ts'
import { type ResponsesWorld, respond, shareOnWires } from './responses-world.ts'
import { call, says } from './scripted-answer.ts'

const wires = ['chat', 'messages', 'responses'] as const
type Wire = (typeof wires)[number]
const said = 'سلام به همه, zipped or not 😀'

/** What this script sends, in one piece. */
function bytesOf(script: Script): Buffer {
  if (script.kind === 'json') return Buffer.from(JSON.stringify(script.body))
  if (script.kind !== 'stream') throw new Error('only answers have bytes')
  const written = script.steps.map((step) =>
    typeof step === 'string' ? step : `data: ${JSON.stringify(step)}\n\n`,
  )
  return Buffer.from(written.join(''))
}
const isStreamed = (script: Script) => script.kind === 'stream'

/** The same answer in other bytes, a few at a time where it is streamed. */
function encoded(script: Script, bytes: Buffer, headers: Record<string, string>): Script {
  if (!isStreamed(script)) return json(200, bytes, headers)
  const pieces: Step[] = []
  for (let at = 0; at < bytes.length; at += 50) pieces.push(bytes.subarray(at, at + 50))
  return stream(pieces, headers)
}

const ask = (wire: Wire, world: ResponsesWorld, isStreamed: boolean) => {
  const body = { stream: isStreamed }
  if (wire === 'chat') return world.key.chat(body)
  return wire === 'messages' ? message(world.key, body) : respond(world.key, body)
}

const mark = Buffer.from('\ufeff')
const codings: [string, (bytes: Buffer) => Buffer, string | undefined][] = [
  ['gzip', (bytes) => gzipSync(bytes), 'gzip'],
  ['gzip that no header tells', (bytes) => gzipSync(bytes), undefined],
  ['a header of gzip alone', (bytes) => bytes, 'gzip'],
  ['deflate', (bytes) => deflateSync(bytes), 'deflate'],
  ['deflate without its header', (bytes) => deflateRawSync(bytes), 'deflate'],
  ['Brotli', (bytes) => brotliCompressSync(bytes), 'br'],
  ['a byte order mark', (bytes) => Buffer.concat([mark, bytes]), undefined],
  ['a byte order mark in gzip', (bytes) => gzipSync(Buffer.concat([mark, bytes])), 'GZIP'],
]

describe.each(wires)('an upstream of the wire %s', (wire) => {
  let world: ResponsesWorld
  beforeAll(async () => {
    world = await shareOnWires(wire)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test.each(codings)(
    'that sends %s is read, whole and streamed, by all callers',
    async (_, encode, coding) => {
      world.upstream.reply((asked) => {
        const script = says(
          wire,
          { text: said, calls: [call('call_1', 'get_weather', { city: 'Yazd' })] },
          asked,
        )
        return encoded(
          script,
          encode(bytesOf(script)),
          coding === undefined ? {} : { 'content-encoding': coding },
        )
      })
      for (const by of wires)
        for (const streamed of [false, true]) {
          const reply = await ask(by, world, streamed)
          expect(reply.status, reply.text).toBe(200)
          const text = streamed ? textIn(by, reply.text) : reply.text
          expect(text).toContain(said)
          expect(text).toContain('Yazd')
        }
      expect(world.upstream.calls.at(-1)!.headers['accept-encoding']).toBe('identity')
    },
  )
})

/** The text of a stream, put together. */
const textIn = (by: Wire, text: string): string =>
  by === 'chat'
    ? `${contentOf(chunksOf(text))} ${text}`
    : text
        .split('\n')
        .filter((line) => line.startsWith('data: {'))
        .map((line) => JSON.parse(line.slice(6)))
        .map(({ delta }) => (typeof delta === 'string' ? delta : (delta?.text ?? delta?.partial_json ?? '')))
        .join('')

/** The pieces of a stream in gzip, each of which can be read when it has arrived. */
async function flushed(pieces: string[]): Promise<Buffer[]> {
  const gzip = createGzip()
  const out: Buffer[] = []
  gzip.on('data', (bytes: Buffer) => out.push(bytes))
  const zipped: Buffer[] = []
  for (const piece of pieces) {
    gzip.write(piece)
    await new Promise<void>((resolve) => gzip.flush(constants.Z_SYNC_FLUSH, resolve))
    zipped.push(Buffer.concat(out.splice(0)))
  }
  gzip.destroy()
  return zipped
}
const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const zip = { 'content-encoding': 'gzip' }

const zeros = Buffer.alloc(20 * 1024 * 1024, 0x20)
const bomb = gzipSync(zeros, { level: 1 })

describe('an upstream of the chat wire', () => {
  let at: ResponsesWorld
  beforeAll(async () => {
    at = await shareOnWires('chat')
  })
  afterEach(() => recover(at))
  afterAll(() => at[Symbol.asyncDispose]())

  test('a zipped stream is passed on as it comes, and one that breaks off is cut like any other', async () => {
    const events = [
      event(chunk({ content: 'one ' })),
      event(chunk({ content: 'two' })),
      event(chunk({}, 'stop')),
      done,
    ]
    const [one, two, last, over] = await flushed(events)
    const seen = Promise.withResolvers<void>()
    at.upstream.replyOnce(stream([one!, seen.promise, two!, last!, over!, stall], zip))
    const body = JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'hello' }] })
    const reply = await at.key.raw('POST', '/v1/chat/completions', body)
    const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader()
    await readUntil(reader, 'one ')
    seen.resolve()
    await readUntil(reader, '[DONE]')

    at.upstream.replyOnce(stream([one!, two!, cut], zip))
    const broken = await at.key.chat({ stream: true })
    const receipt = await explained(at.key, requestIdOf(broken))
    expect(receipt.details.attempts).toMatchObject([{ outcome: 'cut' }])
    expect(broken.text).toContain('"two"')
  })

  test.each<[string, Script]>([
    ['a whole answer', json(200, bomb, zip)],
    ['a stream', stream([bomb], zip)],
    ['bytes that are no gzip after their first', stream([Buffer.from([0x1f, 0x8b, 1, 2, 3])], zip)],
    ['a coding that nobody knows', json(200, '{}', { 'content-encoding': 'zstd' })],
  ])('bombs and nonsense are the upstream’s fault, and cost nothing: %s', async (_, script) => {
    const before = await at.world.balance()
    at.upstream.replyOnce(script, script, script)
    const reply = await at.key.chat({ max_tokens: 10, stream: script.kind === 'stream' })
    expect(reply.status).toBe(502)
    expect(reply.body.error.code).toBe('UPSTREAM_FAILED')
    expect((await explained(at.key, requestIdOf(reply))).details.attempts[0]).toMatchObject({
      outcome: 'malformed',
    })
    expect(await at.world.balance()).toEqual(before)
  })

  test('a refusal that is zipped is told in its words; a bomb in it leaves its status', async () => {
    const refusal = gzipSync(JSON.stringify({ error: { message: 'temperature is too high' } }))
    at.upstream.replyOnce(json(400, refusal, zip))
    const reply = await at.key.chat({})
    expect(reply).toMatchObject({ status: 400, body: { error: { code: 'UPSTREAM_INVALID_REQUEST' } } })
    expect(reply.text).toContain('temperature is too high')
    at.upstream.replyOnce(json(400, bomb, zip))
    expect(await at.key.chat({})).toMatchObject({
      status: 400,
      body: { error: { code: 'UPSTREAM_INVALID_REQUEST' } },
    })
    at.upstream.replyOnce(json(400, `\ufeff${JSON.stringify({ error: { message: 'marked' } })}`))
    expect((await at.key.chat({})).text).toContain('marked')
  })
})
