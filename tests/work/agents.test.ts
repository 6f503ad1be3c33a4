import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectRefusal, uuidPattern } from '../contract/refusal.ts'
import type { Client } from '../harness/client.ts'
import { boot, MovableClock, type World } from '../harness/world.ts'
import { agentOf, create, path, run } from './agents-world.ts'

const clock = new MovableClock()
let world: World
let key: Client
beforeAll(async () => {
  world = await boot({ clock })
  key = await world.key()
})
afterAll(() => world[Symbol.asyncDispose]())

const change = (agent: string, body: unknown, by = key) => by.request('PATCH', agent, JSON.stringify(body))
const remove = (agent: string, by = key) => by.request('DELETE', agent)

test('an agent is its contract fields and nothing else, with what was left out at its default', async () => {
  const made = await create(key, { name: 'پشتیبانی' })
  expect(made.status, made.text).toBe(201)
  expect(made.body).toEqual({
    id: expect.stringMatching(uuidPattern),
    project_id: world.project,
    name: 'پشتیبانی',
    instructions: '',
    model: world.app.models.defaults.text.id,
    kind: 'chat',
    created_at: new Date(clock.nowMs()).toISOString(),
    updated_at: new Date(clock.nowMs()).toISOString(),
  })
  expect((await key.get(`${path}/${made.body.id}`)).body).toEqual(made.body)
})

test.each(['chat', 'research', 'document', 'code', 'data'])('an agent may be of kind %s', async (kind) => {
  const made = await create(key, { kind, instructions: 'Be brief.', model: 'sandbox/reasoner' })
  expect(made.status).toBe(201)
  expect(made.body).toMatchObject({ kind, instructions: 'Be brief.', model: 'sandbox/reasoner' })
})

test('names and instructions may be as long as the contract says, counted in characters', async () => {
  const longest = { name: '🙂'.repeat(80), instructions: 'ا'.repeat(12_000) }
  const made = await create(key, longest)
  expect(made.status).toBe(201)
  expect((await key.get(`${path}/${made.body.id}`)).body).toMatchObject(longest)
  expect((await create(key, { name: 'x', instructions: '' })).status).toBe(201)
})

describe('refused with its field, and nothing kept', () => {
  const wrong: [string, Record<string, unknown>, { status?: number; code: string; param: string }][] = [
    ['an unknown model', { model: 'no/such' }, { status: 404, code: 'MODEL_NOT_FOUND', param: 'model' }],
    ['a model of pictures', { model: 'sandbox/image' }, { code: 'MODEL_KIND_MISMATCH', param: 'model' }],
    [
      'knowledge that there is not',
      { knowledge_id: randomUUID() },
      { status: 404, code: expect.stringMatching(/NOT_FOUND$/), param: 'knowledge_id' },
    ],
  ]
  test.each(wrong)('%s', async (_, body, refusal) => {
    const before = (await key.get(path)).body.first_id
    expectRefusal(await create(key, body), { status: 400, ...refusal })
    expect((await key.get(path)).body.first_id).toBe(before)
  })

  test('a model that the key may not use', async () => {
    const bound = await world.key({ models: ['sandbox/fast'] })
    const refusal = { status: 403, code: 'MODEL_NOT_ALLOWED', param: 'model' }
    expectRefusal(await create(bound, { model: 'sandbox/reasoner' }), refusal)
    expect((await create(bound, { model: 'sandbox/fast' })).status).toBe(201)
    const agent = await agentOf(key, { model: 'sandbox/reasoner' })
    expectRefusal(await change(agent, { model: 'sandbox/reasoner' }, bound), refusal)
    expectRefusal(await run(bound, agent), refusal)
  })
})

test('a change touches what it names, and the time', async () => {
  const agent = await agentOf(key, { name: 'before', instructions: 'old' })
  const before = (await key.get(agent)).body
  clock.moveMs(1_000)
  const renamed = await change(agent, { name: 'after' })
  expect(renamed.status, renamed.text).toBe(200)
  expect(renamed.body).toEqual({
    ...before,
    name: 'after',
    updated_at: new Date(clock.nowMs()).toISOString(),
  })
  const more = { instructions: '', model: 'sandbox/reasoner' }
  expect((await change(agent, more)).body).toMatchObject({ name: 'after', ...more })
  expect((await key.get(agent)).body).toMatchObject({ name: 'after', ...more })
})

test('a change of nothing is none', async () => {
  const agent = await agentOf(key)
  const before = (await key.get(agent)).body
  clock.moveMs(1_000)
  expect((await change(agent, {})).body).toEqual(before)
})

test('a change to an unknown model is refused', async () => {
  const agent = await agentOf(key)
  const refusal = { status: 404, code: 'MODEL_NOT_FOUND', param: 'model' }
  expectRefusal(await change(agent, { model: 'no/such' }), refusal)
})

test('a deleted agent is a missing one', async () => {
  const agent = await agentOf(key)
  const gone = await remove(agent)
  expect(gone.status).toBe(200)
  expect(gone.body).toEqual({ id: agent.slice(path.length + 1), object: 'agent.deleted', deleted: true })
  for (const reply of [
    await key.get(agent),
    await change(agent, { name: 'x' }),
    await change(agent, {}),
    await remove(agent),
    await run(key, agent),
  ])
    expectRefusal(reply, { status: 404, code: 'NOT_FOUND', param: 'id' })
})

test('a key with agents:write alone can do all of it', async () => {
  const only = await world.key({ scopes: ['agents:write'] })
  const agent = await agentOf(only)
  expect((await run(only, agent)).status).toBe(200)
  expect((await remove(agent, only)).status).toBe(200)
})

test('two at a time with one Idempotency-Key make one agent', async () => {
  const send = () => create(key, { name: 'twin' }, { 'idempotency-key': 'make-3' })
  const [one, two] = await Promise.all([send(), send()])
  expect([one.status, two.status]).toEqual([201, 201])
  expect(one.text).toBe(two.text)
})

describe('many agents', () => {
  test('a list goes from page to page, newest first', async () => {
    const pages = await world.key({ project: await world.newProject() })
    const made: string[] = []
    for (let count = 0; count < 5; count++) {
      clock.moveMs(1)
      made.unshift((await create(pages, { name: `a${count}` })).body.id)
    }
    const ids = (reply: { body: { data: { id: string }[] } }) => reply.body.data.map(({ id }) => id)
    const all = await pages.get(path)
    expect(all.body).toMatchObject({ object: 'list', has_more: false, first_id: made[0], last_id: made[4] })
    expect(ids(all)).toEqual(made)
    const first = await pages.get(`${path}?limit=2`)
    expect(first.body).toMatchObject({ has_more: true, first_id: made[0], last_id: made[1] })
    const second = await pages.get(`${path}?limit=3&after_id=${made[1]}`)
    expect(second.body.has_more).toBe(false)
    expect([...ids(first), ...ids(second)]).toEqual(made)
    expect((await pages.get(`${path}?after_id=${made[4]}`)).body).toEqual({
      object: 'list',
      data: [],
      has_more: false,
      first_id: null,
      last_id: null,
    })
    await remove(`${path}/${made[1]}`, pages)
    expect(ids(await pages.get(`${path}?after_id=${made[1]}`))).toEqual(made.slice(2))
  })

  test('a project has at most 100 agents, however many are made at once, and a place is free again after a deletion', async () => {
    const full = await world.key({ project: await world.newProject() })
    // Not all at once: on a busy machine the last would wait too long for a connection to the database.
    for (let made = 0; made < 95; made += 5) {
      const some = await Promise.all(Array.from({ length: 5 }, () => create(full)))
      expect(some.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
    }
    const last = { 'idempotency-key': 'last place' }
    const replies = await Promise.all(Array.from({ length: 9 }, () => create(full)))
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(5)
    const refused = replies.find(({ status }) => status !== 201)!
    expectRefusal(refused, { status: 403, code: 'TOO_MANY_AGENTS' })
    expect(refused.headers.get('x-should-retry')).toBe('false')
    const list = (await full.get(path)).body
    expect(list.data).toHaveLength(100)
    expect(list.has_more).toBe(false)
    await remove(`${path}/${list.first_id}`, full)
    const made = await create(full, {}, last)
    expect(made.status).toBe(201)
    expectRefusal(await create(full), { status: 403, code: 'TOO_MANY_AGENTS' })
    // The repeat of the request that took the last place.
    expect((await create(full, {}, last)).text).toBe(made.text)
    // Another project has its own.
    expect((await create(key)).status).toBe(201)
  })
})

test('an agent may know what its project knows, and nothing of another', async () => {
  const made = await key.post('/v1/knowledge', { name: 'Handbook' })
  const agent = await agentOf(key, { knowledge_id: made.body.id })
  expect((await key.get(agent)).body.knowledge_id).toBe(made.body.id)
  expect((await run(key, agent)).status).toBe(200)
  const neighbour = await world.key({ project: await world.newProject() })
  const foreign = await create(neighbour, { knowledge_id: made.body.id })
  expectRefusal(foreign, { status: 404, code: 'KNOWLEDGE_NOT_FOUND', param: 'knowledge_id' })
})

test('an agent with knowledge says so', async () => {
  const agent = await agentOf(key)
  const knowledgeId = randomUUID()
  await world.app.db.query({ text: 'update agents.agents set knowledge_id = $1 where agent_id = $2' }, [
    knowledgeId,
    agent.slice(path.length + 1),
  ])
  expect((await key.get(agent)).body.knowledge_id).toBe(knowledgeId)
})
