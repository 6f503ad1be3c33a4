/** Fields that the upstream's wire does not have: the request is answered nevertheless, and they are reported as ignored. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../harness/client.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import { type FakeUpstream, fakeUpstream, json } from '../harness/upstream.ts'
import type { World } from '../harness/world.ts'

const wires = ['chat', 'responses', 'messages'] as const
type Wire = (typeof wires)[number]

let upstream: FakeUpstream
let world: World
let key: Client
beforeAll(async () => {
  upstream = await fakeUpstream()
  const provider = (wire: Wire) =>
    `  - { id: ${wire}, base_url: ${upstream.url}, api_key: k, dialects: [${wire}] }`
  const model = (id: string, ...of: Wire[]) =>
    `  - { id: ${id}, kind: text, context_length: 9000, max_output_tokens: 900, input_modalities: [text], features: [tools, json_schema], pricing: { input_per_million: 1, output_per_million: 1 }, deployments: [${of
      .map((wire) => `{ provider: ${wire}, model: m }`)
      .join(', ')}] }`
  const models = [...wires.map((wire) => model(`on/${wire}`, wire)), model('on/two', 'messages', 'chat')]
  const config = `providers:\n${wires.map(provider).join('\n')}\nmodels:\n${models.join('\n')}\ndefaults: { text_model: on/chat }\n`
  world = await sharedWorld({ config })
  key = await world.key()
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

const answers: Record<Wire, Record<string, unknown>> = {
  chat: {
    choices: [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 },
  },
  responses: {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    output: [
      {
        type: 'message',
        id: 'msg_1',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'x', annotations: [] }],
      },
    ],
    usage: { input_tokens: 9, output_tokens: 1, total_tokens: 10 },
  },
  messages: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'x' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 4, cache_read_input_tokens: 3, cache_creation_input_tokens: 2, output_tokens: 1 },
  },
}

const asked = {
  '/v1/chat/completions': { messages: [{ role: 'user', content: 'hi' }] },
  '/v1/responses': { input: 'hi' },
  '/v1/messages': { max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] },
}
type Path = keyof typeof asked

async function ask(path: Path, answeredOn: Wire, body: Record<string, unknown>) {
  upstream.replyOnce(json(200, answers[answeredOn]))
  const reply = await key.post(path, { ...asked[path], ...body }, { 'anthropic-version': '2023-06-01' })
  expect(reply.status, reply.text).toBe(200)
  return { ...reply, ignored: reply.headers.get('x-ignored-fields') }
}

const chat = {
  seed: 1,
  frequency_penalty: 0.5,
  verbosity: 'low',
  logprobs: true,
  logit_bias: { 5: 1 },
  user: 'u',
}
const responses = { text: { verbosity: 'low' }, top_k: 3, stop: ['END'], truncation: 'auto' }
const messages = { metadata: { user_id: 'u' }, cache_control: { type: 'ephemeral' } }
const notOfOpenAi = 'seed, frequency_penalty, verbosity, logprobs, logit_bias, user'

test.each<[Path, Wire, Record<string, unknown>, string | null]>([
  ['/v1/chat/completions', 'chat', chat, null],
  ['/v1/chat/completions', 'responses', chat, 'logprobs, logit_bias, user'],
  ['/v1/chat/completions', 'messages', chat, notOfOpenAi],
  ['/v1/responses', 'responses', responses, null],
  ['/v1/responses', 'chat', responses, 'stop, top_k, truncation'],
  ['/v1/responses', 'messages', responses, 'text.verbosity, stop, top_k, truncation'],
  ['/v1/messages', 'messages', messages, null],
  ['/v1/messages', 'chat', messages, 'cache_control, metadata'],
])('%s names what an upstream of the wire %s does not hear', async (path, wire, body, ignored) => {
  expect(await ask(path, wire, { model: `on/${wire}`, ...body })).toMatchObject({ ignored })
})

test('a wish that is null or false is none, and what one of the deployments hears is not named', async () => {
  const none = { seed: null, logprobs: false, user: null }
  expect(await ask('/v1/chat/completions', 'messages', { model: 'on/messages', ...none })).toMatchObject({
    ignored: null,
  })
  upstream.reply(({ path }) => json(200, answers[path.endsWith('/messages') ? 'messages' : 'chat']))
  const reply = await key.post('/v1/chat/completions', {
    ...asked['/v1/chat/completions'],
    model: 'on/two',
    ...chat,
  })
  expect(reply.status, reply.text).toBe(200)
  expect(reply.headers.get('x-ignored-fields')).toBeNull()
})

test.each(['responses', 'messages'] as const)(
  'usage of a chat has no figures in the words of the wire %s, which count otherwise',
  async (wire) => {
    const { body } = await ask('/v1/chat/completions', wire, { model: `on/${wire}` })
    expect(Object.keys(body.usage).sort()).toEqual([
      'completion_tokens',
      'completion_tokens_details',
      'credits',
      'microcredits',
      'prompt_tokens',
      'prompt_tokens_details',
      'total_tokens',
    ])
    expect(body.usage).toMatchObject({ prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 })
  },
)
