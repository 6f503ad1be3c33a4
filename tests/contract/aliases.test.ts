/** Clients that use their vendor's model names, with only address and key changed. */
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { upstreamConfig } from '../harness/config-text.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import { answer, fakeUpstream } from '../harness/upstream.ts'

async function stage() {
  await using stack = new AsyncDisposableStack()
  const upstream = stack.use(await fakeUpstream())
  upstream.reply(answer('hello'))
  const config = upstreamConfig(upstream.url, { model: '    aliases: [gpt-4o, claude-sonnet-4-5]' })
  const world = stack.use(await sharedWorld({ config }))
  const open = stack.move()
  return { world, upstream, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

test('a model is asked for by its alias on every wire, and the answer and the receipt name the model', async () => {
  await using at = await stage()
  const key = await at.world.key()
  const openai = new OpenAI({ baseURL: `${at.world.url}/v1`, apiKey: key.secret, maxRetries: 0 })
  const messages = [{ role: 'user' as const, content: 'hello' }]
  const chat = await openai.chat.completions.create({ model: 'gpt-4o', messages }).withResponse()
  expect(chat.data.model).toBe('test/model')
  expect((await at.upstream.call(0)).body).toMatchObject({ model: 'upstream-model' })
  await at.world.settled()
  expect((await key.receipt(chat.request_id!)).body.model).toBe('test/model')
  expect((await openai.responses.create({ model: 'gpt-4o', input: 'hello' })).model).toBe('test/model')
  const message = await key.post(
    '/v1/messages',
    { model: 'claude-sonnet-4-5', max_tokens: 50, messages },
    { 'anthropic-version': '2023-06-01' },
  )
  expect([message.status, message.body.model]).toEqual([200, 'test/model'])
  await at.world.settled()
  const { data } = (await key.get('/v1/usage')).body
  expect(new Set(data.map((row: { model: string }) => row.model))).toEqual(new Set(['test/model']))
})

test('the catalogue finds a model by its alias, and its card lists the aliases', async () => {
  await using at = await stage()
  const key = await at.world.key()
  const card = await key.get('/v1/models/gpt-4o')
  expect(card.body).toMatchObject({ id: 'test/model', aliases: ['gpt-4o', 'claude-sonnet-4-5'] })
  const ids = (await key.get('/v1/models')).body.data.map(({ id }: { id: string }) => id)
  expect(ids).toContain('test/model')
  expect(ids).not.toContain('gpt-4o')
  expect((await key.get('/v1/models/gpt-4')).body.error.code).toBe('MODEL_NOT_FOUND')
})

test('a key that may use an alias may use its model by any of its names, and no other', async () => {
  await using at = await stage()
  const key = await at.world.key({ models: ['gpt-4o'] })
  for (const model of ['gpt-4o', 'claude-sonnet-4-5', 'test/model'])
    expect([model, (await key.chat({ model })).status]).toEqual([model, 200])
  const refused = await key.chat({ model: 'sandbox/fast' })
  expect([refused.status, refused.body.error.code]).toEqual([403, 'MODEL_NOT_ALLOWED'])
  expect((await key.get('/v1/models')).body.data.map(({ id }: { id: string }) => id)).toEqual(['test/model'])
})

test('an agent is made and runs with an alias, and is shown with the model that it is', async () => {
  await using at = await stage()
  const key = await at.world.key()
  const agent = await key.post('/v1/agents', { name: 'helper', model: 'gpt-4o' })
  expect([agent.status, agent.body.model]).toEqual([201, 'test/model'])
  const run = await key.post(`/v1/agents/${agent.body.id}/runs`, { input: 'hello' })
  expect([run.status, run.body.model]).toEqual([200, 'test/model'])
})
