/**
 * What an upstream says of its input is believed as far as it was sent: a token a byte, what media can be, and room for template and tools. Only
 * where the upstream may read more by itself is it the window.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { png, wav } from '../clients/media-samples.ts'
import type { Seen } from '../harness/client.ts'
import { json, type Script } from '../harness/upstream.ts'
import { pdf } from '../media/media-world.ts'
import { create, ended, results, row } from '../text/batches-world.ts'
import { type Explained, explained, requestIdOf } from '../text/chat-world.ts'
import { upstreamMessage, user, version } from '../text/messages-world.ts'
import { bootOnWires, type ResponsesWorld } from '../text/responses-world.ts'

const wires = ['chat', 'messages', 'responses'] as const
type Wire = (typeof wires)[number]
const window = 128_000
/** The frame of a turn and of its one message, and the template. */
const frame = 64 + 32 + 4_096
const picture = 48_169

const worlds = new Map<Wire, ResponsesWorld>()
beforeAll(async () => {
  for (const wire of wires) worlds.set(wire, await bootOnWires(wire, { credits: 10_000_000 }))
})
afterAll(async () => {
  for (const world of worlds.values()) await world[Symbol.asyncDispose]()
})

/** A whole answer that claims so much input. */
const claiming: Record<Wire, (input: number, more?: object) => Script> = {
  chat: (input, more) =>
    json(200, {
      choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: input, completion_tokens: 3, ...more },
    }),
  messages: (input, more) =>
    json(
      200,
      upstreamMessage([{ type: 'text', text: 'hi' }], {
        usage: { input_tokens: input, output_tokens: 3, ...more },
      }),
    ),
  responses: (input, more) =>
    json(200, {
      id: 'resp_up',
      object: 'response',
      status: 'completed',
      output: [
        { id: 'msg_up', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hi' }] },
      ],
      usage: { input_tokens: input, output_tokens: 3, ...more },
    }),
}

const post: Record<Wire, (at: ResponsesWorld, content: unknown, more?: object) => Promise<Seen>> = {
  chat: ({ key }, content, more) =>
    key.post('/v1/chat/completions', {
      ...{ model: 'test/model', max_tokens: 50, messages: [{ role: 'user', content }] },
      ...more,
    }),
  messages: ({ key }, content, more) =>
    key.post(
      '/v1/messages',
      { model: 'test/model', max_tokens: 50, messages: [{ role: 'user', content }], ...more },
      version,
    ),
  responses: ({ key }, content, more) =>
    key.post('/v1/responses', {
      ...{ model: 'test/model', max_output_tokens: 50, input: [{ role: 'user', content }] },
      ...more,
    }),
}

type Receipt = Explained & {
  details: Explained['details'] & { tokens: Record<string, number>; claims?: object[] }
}
/** Asks an upstream of one wire by another, which claims so much. */
async function ask(wire: Wire, by: Wire, content: unknown, { input = 1e9, more = {}, usage = {} } = {}) {
  const at = worlds.get(wire)!
  at.upstream.replyOnce(claiming[wire](input, usage))
  const reply = await post[by](at, content, more)
  expect(reply.status, reply.text.slice(0, 500)).toBe(200)
  return (await explained(at.key, requestIdOf(reply))) as Receipt
}

const textPart = { chat: 'text', messages: 'text', responses: 'input_text' } as const
const picturePart: Record<Wire, (url?: string) => unknown> = {
  chat: (url = `data:image/png;base64,${png}`) => ({ type: 'image_url', image_url: { url } }),
  messages: (url) => ({
    type: 'image',
    source: url ? { type: 'url', url } : { type: 'base64', media_type: 'image/png', data: png },
  }),
  // Of this wire only documents may come by address.
  responses: (url) =>
    url
      ? { type: 'input_file', file_url: url }
      : { type: 'input_image', image_url: `data:image/png;base64,${png}` },
}
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const tool: Record<Wire, unknown> = {
  chat: { type: 'function', function: { name: 'weather', parameters: schema } },
  messages: { name: 'weather', input_schema: schema },
  responses: { type: 'function', name: 'weather', parameters: schema },
}

test.each(wires)('«x» costs at most its byte, its frame and the template: over the wire %s', async (wire) => {
  const receipt = await ask(wire, wire, 'x', { input: window })
  const input = frame + 1
  expect(BigInt(receipt.microcredits)).toBe(BigInt(input) * 1_000n + 6_000n)
  expect(receipt.details.claims).toMatchObject([{ claimed: { input: window }, believed: { input } }])
})

describe.each(wires)('an upstream of the wire %s', (wire) => {
  test.each(wires)('whoever asks, by the wire %s: a token for each byte of UTF-8', async (by) => {
    const words = 'کتاب'.repeat(500)
    const most = frame + 4_000
    const parts = [{ type: textPart[by], text: words }]
    expect((await ask(wire, by, parts)).details.tokens['input']).toBe(most)
    const honest = await ask(wire, by, parts, { input: most })
    expect(honest.details.tokens['input']).toBe(most)
    expect(honest.details.claims).toBeUndefined()
  })

  test('each tool has its schema and 1,024 tokens beside', async () => {
    const { tokens } = (await ask(wire, wire, 'x', { more: { tools: [tool[wire]] } })).details
    const bytes = JSON.stringify([{ name: 'weather', parameters: schema }]).length
    expect(tokens['input']).toBeGreaterThanOrEqual(frame + 1 + bytes + 1_024)
    expect(tokens['input']).toBeLessThan(frame + 1 + bytes + 1_024 + 60)
  })

  test('a picture that was sent is what the dearest vendor counts for it; what comes by address may fill the window', async () => {
    expect((await ask(wire, wire, [picturePart[wire]()])).details.tokens['input']).toBe(frame + picture)
    // Where the vendor of this wire fetches it by itself.
    const url = 'https://files.example.com/a.png'
    const { tokens } = (await ask(wire, wire, [picturePart[wire](url)])).details
    expect(tokens['input']).toBeGreaterThanOrEqual(window)
  })

  test('what is cached and what is written to the cache is inside the same bound', async () => {
    const usage =
      wire === 'messages'
        ? { cache_read_input_tokens: 9e8, cache_creation_input_tokens: 9e8 }
        : wire === 'chat'
          ? { prompt_tokens_details: { cached_tokens: 100, cache_write_tokens: 9e8, audio_tokens: 9e8 } }
          : { input_tokens_details: { cached_tokens: 100, cache_write_tokens: 9e8 } }
    const { tokens } = (await ask(wire, wire, 'x', { usage })).details
    expect(tokens['input']).toBe(frame + 1)
    expect(tokens['cachedInput']! + tokens['cacheWriteInput']!).toBeLessThanOrEqual(frame + 1)
  })
})

test('sound and a document are bounded by their seconds and pages', async () => {
  const sound = [{ type: 'input_audio', input_audio: { data: wav, format: 'wav' } }]
  const usage = { prompt_tokens_details: { audio_tokens: 1e9 } }
  const heard = (await ask('chat', 'chat', sound, { usage })).details.tokens
  // Half a minute is the least that encoders read.
  expect(heard).toMatchObject({ input: frame + 1_500, mediaInput: 1_500 })
  const file = pdf(2)
  const document = [
    { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: file } },
  ]
  const { tokens } = (await ask('messages', 'messages', document)).details
  const bytes = Buffer.from(file, 'base64').length
  expect(tokens['input']).toBe(frame + 32 + 2 * (picture + 4_600) + bytes)
})

test('rows of batches are bounded alike', async () => {
  const at = worlds.get('messages')!
  at.upstream.replyOnce(claiming.messages(1e9))
  const { body } = await create(at.key, [row('x', { model: 'test/model', messages: [user('x')] })])
  await ended(at.key, body.id)
  const [answered] = await results(at.key, body.id)
  expect(answered.result.message.usage.input_tokens).toBe(frame + 1)
})
