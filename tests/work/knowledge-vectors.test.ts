import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { revokeKey } from '#platform/auth'
import { uuidv7 } from '#platform/ids'
import type { Job } from '#platform/jobs'
import { grant } from '#platform/ledger'
import { type KnowledgeApp, knowledge } from '#work/knowledge'
import { expectRefusal } from '../contract/refusal.ts'
import { newMember } from '../harness/session.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import { cut, json, reset, stream } from '../harness/upstream.ts'
import { agentOf, run } from './agents-world.ts'
import { add, added, create, find, path } from './knowledge-world.ts'
import {
  bootOnVectors,
  embedded,
  meant,
  perToken,
  receipts,
  shareOnVectors,
  textsIn,
  type VectorsWorld,
  worstOf,
} from './vectors-world.ts'

let at: VectorsWorld
const [, embedJob] = knowledge.jobs
beforeAll(async () => {
  at = await shareOnVectors()
})
afterAll(() => at[Symbol.asyncDispose]())
beforeEach(() => at.upstream.reply(meant))

const three = '# حیوان‌ها\n\nگربه شیر می‌خورد.\n\n# بانک\n\nتسهیلات خرید خانه.\n\n# هوا\n\nفردا باران می‌آید.'
const known = async (key = at.key, text = three) => {
  const id = await create(key)
  const made = await add(key, id, { type: 'text', title: 'کتاب', text })
  expect(made.status, made.text).toBe(201)
  return { id, source: await embedded(key, id, made.body.id) }
}
const embed = (id: string, key = at.key, headers = {}) => key.post(`${path}/${id}/embed`, undefined, headers)

test('a question finds a passage that shares no word with it, and the answer says by what', async () => {
  const { id, source } = await known()
  expect(source).toMatchObject({
    state: 'ready',
    vectors: { state: 'ready', model: 'test/near', problem: null },
  })
  const found = await find(at.key, id, 'پیشی', 1)
  expect(found.body).toMatchObject({
    data: [{ heading: 'حیوان‌ها', text: 'گربه شیر می‌خورد.', position: 0 }],
    by: ['words', 'vectors'],
    problem: null,
  })
  // What both find stands before what one finds.
  const both = (await find(at.key, id, 'تسهیلات', 3)).body.data
  expect(both[0]).toMatchObject({ heading: 'بانک', score: 1 })
  expect(both.length).toBeGreaterThan(1)
})

test('a person whose role only reads searches by words, and spends nothing', async () => {
  await using own = await shareOnVectors()
  const { id } = await known(own.key)
  const before = await receipts(own.world)
  const viewer = await newMember(own.world, 'viewer')
  const found = await find(viewer, id, 'تسهیلات', 3)
  expect(found.body, found.text).toMatchObject({ data: [{ heading: 'بانک' }], by: ['words'], problem: null })
  expect(await receipts(own.world)).toEqual(before)
  const developer = await newMember(own.world, 'developer')
  expect((await find(developer, id, 'تسهیلات', 3)).body.by).toEqual(['words', 'vectors'])
})

test('every call is held at its worst case and charged for the tokens that the upstream counted', async () => {
  await using own = await shareOnVectors()
  const before = await own.world.balance()
  const { id } = await known(own.key)
  await find(own.key, id, 'پیشی')
  const [first, second] = own.upstream.calls.map(textsIn)
  expect(first).toEqual(['کتاب › حیوان‌ها\nگربه شیر می‌خورد.', 'کتاب › بانک\nتسهیلات خرید خانه.'])
  expect(second).toHaveLength(1)
  const shared = { state: 'completed', ambiguous: false, status_code: 200 }
  expect(await receipts(own.world)).toMatchObject([
    { ...shared, endpoint: '/v1/knowledge/sources', held: worstOf(...first!), charged: 10n * perToken },
    { ...shared, endpoint: '/v1/knowledge/sources', held: worstOf(...second!), charged: 5n * perToken },
    { ...shared, endpoint: '/v1/knowledge/search', held: worstOf('پیشی'), charged: 5n * perToken },
  ])
  expect((await receipts(own.world))[2]?.detail).toMatchObject({
    texts: 1,
    usage_source: 'upstream',
    attempts: [{ deployment: 'fake/near-1', outcome: 'answered' }],
  })
  const { available, held } = await own.world.balance()
  expect({ spent: before.available - available, held }).toEqual({ spent: 20n * perToken, held: 0n })
  // Vectors wait in the journal no longer than until they are stored.
  const replies = await own.world.app.db.query({ text: 'select from ledger.replies where account_id = $1' }, [
    own.world.account,
  ])
  expect(replies).toHaveLength(0)
})

test('an upstream that counts nothing is charged by bytes, and one that counts too much within the hold', async () => {
  const { id } = await known()
  const uncounted = json(200, { data: [{ embedding: [1, 0, 0] }] })
  at.upstream.replyOnce(
    uncounted,
    json(200, { ...(uncounted as { body: object }).body, usage: { prompt_tokens: 1e9 } }),
  )
  await find(at.key, id, 'پیشی')
  await find(at.key, id, 'پیشی')
  const [guessed, bounded] = (await receipts(at.world)).slice(-2)
  expect(guessed).toMatchObject({ charged: 2n * perToken, detail: { usage_source: 'estimated' } })
  expect(bounded).toMatchObject({ charged: worstOf('پیشی') })
})

test('without money words are searched, sources are ready by words, and vectors are made once they are asked for', async () => {
  const { client, account } = await at.world.stranger(0)
  const { id, source } = await known(client)
  expect(source).toMatchObject({
    state: 'ready',
    vectors: { state: 'failed', problem: { code: 'no_credits' } },
  })
  expect(source.vectors.problem.message).toMatch(/embed/)
  const plain = await find(client, id, 'باران')
  expect(plain.body).toMatchObject({ data: [{ heading: 'هوا' }], by: ['words'], problem: null })
  const microcredits = 1_000_000n
  await at.world.app.db.tx((tx) =>
    grant(tx, { accountId: account, transferId: uuidv7(), microcredits, reason: 'test' }, new Date()),
  )
  const asked = await embed(id, client, { 'Idempotency-Key': 'again' })
  expect(asked.status, asked.text).toBe(202)
  expect(asked.body).toEqual({ id, model: 'test/near', queued: 1 })
  expect((await embed(id, client, { 'Idempotency-Key': 'again' })).body).toEqual(asked.body)
  expect(await embedded(client, id, source.id)).toMatchObject({ vectors: { state: 'ready', problem: null } })
  expect((await embed(id, client)).body.queued).toBe(0)
  const narrow = await at.world.key({ models: ['sandbox/fast'] })
  const { id: mine } = await known()
  const words = await find(narrow, mine, 'باران')
  expect(words.body).toMatchObject({
    data: [{ heading: 'هوا' }],
    by: ['words'],
    problem: { code: 'MODEL_NOT_ALLOWED' },
  })
})

test('a search that cannot be paid, or whose upstream fails, answers by words and says why', async () => {
  const { id } = await known()
  const poor = await at.world.key({ caps: { cap: 1n } })
  const unpaid = await find(poor, id, 'باران')
  expect(unpaid.status, unpaid.text).toBe(200)
  expect(unpaid.body).toMatchObject({
    data: [{ heading: 'هوا' }],
    by: ['words'],
    problem: { code: 'BUDGET_EXCEEDED' },
  })
  at.upstream.reply(json(400, { error: { message: 'no' } }))
  const failed = await find(at.key, id, 'باران')
  expect(failed.body).toMatchObject({
    data: [{ heading: 'هوا' }],
    by: ['words'],
    problem: { code: 'UPSTREAM_INVALID_REQUEST' },
  })
  expect((await receipts(at.world)).at(-1)).toMatchObject({ state: 'failed', charged: 0n })
})

test('of a key that was revoked meanwhile nothing is embedded, and another may ask for it', async () => {
  at.upstream.reply(json(429, {}, { 'retry-after': '1' }))
  const gone = await at.world.key()
  const id = await create(gone)
  const { body } = await add(gone, id, { type: 'text', text: three })
  await at.world.app.db.tx((tx) => revokeKey(tx, gone.keyId, new Date()))
  expect(await embedded(at.key, id, body.id)).toMatchObject({
    state: 'ready',
    vectors: { problem: { code: 'key_ended' } },
  })
  at.upstream.reply(meant)
  expect((await embed(id)).body.queued).toBe(1)
  expect(await embedded(at.key, id, body.id)).toMatchObject({ vectors: { state: 'ready' } })
})

test.each([
  ['a connection that breaks', () => reset],
  ['half of an answer', () => stream(['{"data":[', cut], { 'content-type': 'application/json' })],
  ['a 500', () => json(500, 'oops')],
  ['a 504', () => json(504, 'late')],
])('after %s the upstream may have worked: it is not asked again by itself', async (_, script) => {
  await using own = await shareOnVectors()
  own.upstream.replyOnce(script())
  const { source } = await known(own.key)
  expect(source).toMatchObject({ vectors: { state: 'partial', problem: { code: 'lost' } } })
  // The first two passages were asked for once, the third after them.
  expect(own.upstream.calls.map((call) => textsIn(call).length)).toEqual([2, 1])
  expect(await receipts(own.world)).toMatchObject([
    { state: 'failed', charged: 0n, detail: { may_have_run: true, attempts: [{}] } },
    { state: 'completed' },
  ])
})

test.each([
  ['a 503', () => json(503, 'later')],
  ['a 429', () => json(429, {}, { 'retry-after-ms': '1' })],
])('after %s, which says that nothing was done, it is asked again', async (_, script) => {
  await using own = await shareOnVectors()
  own.upstream.replyOnce(script())
  const { source } = await known(own.key)
  expect(source).toMatchObject({ vectors: { state: 'ready' } })
  expect(own.upstream.calls.map((call) => textsIn(call).length)).toEqual([2, 2, 1])
})

test('an answer of the wrong shape costs nothing and is not asked for again, until somebody asks', async () => {
  at.upstream.calls.length = 0
  at.upstream.replyOnce(json(200, { data: [{ embedding: [1, 0, 0] }] }))
  const { id, source } = await known()
  expect(source).toMatchObject({ vectors: { state: 'partial', problem: { code: 'lost' } } })
  expect(at.upstream.calls.map((call) => textsIn(call).length)).toEqual([2, 1])
  expect((await receipts(at.world)).slice(-2)).toMatchObject([
    { state: 'failed', charged: 0n },
    { charged: 5n * perToken },
  ])
  await embed(id)
  expect(await embedded(at.key, id, source.id)).toMatchObject({ vectors: { state: 'ready' } })
  expect(at.upstream.calls.map((call) => textsIn(call).length)).toEqual([2, 1, 2])
})

test('an upstream that is busy or broken is asked again', async () => {
  at.upstream.replyOnce(json(503, {}), json(429, {}))
  expect((await known(at.key, 'گربه')).source.vectors).toMatchObject({ state: 'ready' })
})

test('vectors of another model are not used, and all are made anew when asked for', async () => {
  const { id, source } = await known()
  await at.world.app.db.query(
    { text: `update knowledge.vectors set model = 'test/old' where source_id = $1` },
    [source.id],
  )
  await at.world.app.db.query(
    { text: `update knowledge.sources set vectors_model = 'test/old' where source_id = $1` },
    [source.id],
  )
  expect((await find(at.key, id, 'پیشی')).body).toEqual({ data: [], by: ['words'], problem: null })
  expect((await embed(id)).body.queued).toBe(1)
  await embedded(at.key, id, source.id)
  expect((await find(at.key, id, 'پیشی', 1)).body.data).toMatchObject([{ heading: 'حیوان‌ها' }])
})

test('vectors that are asked for between the end of a source and the end of its job are made', async () => {
  // A job that runs in a process that this one does not know.
  await using own = await bootOnVectors()
  const id = await create(own.key)
  const made = await add(own.key, id, { type: 'text', title: 'کتاب', text: three })
  await embedded(own.key, id, made.body.id)
  const { db } = own.world.app
  const processId = uuidv7()
  // As a process leaves it that has written the end of the source, and not yet that of its job.
  await db.query({ text: `insert into ledger.processes values ($1, now(), now() + interval '1 hour')` }, [
    processId,
  ])
  await db.query({ text: `update knowledge.sources set vectors = 'failed' where source_id = $1` }, [
    made.body.id,
  ])
  await db.query(
    {
      text: `insert into jobs.queue (account_id, job_id, name, data, singleton_key, run_at, process_id)
        select account_id, $1, 'knowledge.embed', '{}', source_id, now(), $2 from knowledge.sources where source_id = $3`,
    },
    [uuidv7(), processId, made.body.id],
  )
  expect((await embed(id, own.key)).body).toMatchObject({ queued: 1 })
  expect(await embedded(own.key, id, made.body.id)).toMatchObject({ vectors: { state: 'ready' } })
})

test('a model that is offered no more ends the waiting with a word', async () => {
  const { id, source } = await known()
  const set = `vectors = 'queued', vectors_model = 'test/old'`
  const text = `update knowledge.sources set ${set} where source_id = $1`
  await at.world.app.db.query({ text }, [source.id])
  const { accountId, data } = { accountId: at.world.account, data: { knowledgeId: id, sourceId: source.id } }
  await at.world.app.db.tx((tx) =>
    at.world.app.jobs.enqueue(tx, embedJob as Job<unknown, KnowledgeApp>, { accountId, data }),
  )
  expect((await embedded(at.key, id, source.id)).vectors).toMatchObject({
    state: 'failed',
    problem: { code: 'no_model' },
  })
})

test('an agent finds what it knows by meaning, and pays for that under a receipt of its own', async () => {
  const { id } = await known()
  const agent = await agentOf(at.key, { knowledge_id: id, model: 'sandbox/fast' })
  const before = (await receipts(at.world)).length
  const answered = await run(at.key, agent, { input: 'پیشی چه می‌خورد؟' }, { 'X-Customer-ID': 'c-1' })
  expect(answered.status, answered.text).toBe(200)
  expect((await receipts(at.world)).slice(before)).toMatchObject([
    { endpoint: '/v1/agents/runs', charged: 5n * perToken, state: 'completed' },
  ])
})

test('whose knowledge it is not cannot have it embedded; without a model nobody can', async () => {
  const { id } = await known()
  const missing = { status: 404, code: 'KNOWLEDGE_NOT_FOUND', param: 'id' }
  expectRefusal(await embed(id, (await at.world.stranger()).client), missing)
  expectRefusal(await embed(id, await at.world.key({ project: await at.world.newProject() })), missing)
  expectRefusal(await embed(uuidv7()), missing)
  expectRefusal(await embed(id, await at.world.key({ scopes: ['knowledge:read'] })), {
    status: 403,
    code: 'INSUFFICIENT_SCOPE',
  })
  await using plain = await sharedWorld({ config: '' })
  const key = await plain.key()
  const own = await create(key)
  const source = await added(key, own, { type: 'text', text: 'گربه' })
  expect(source.vectors).toBeNull()
  expect((await find(key, own, 'گربه')).body.by).toEqual(['words'])
  expectRefusal(await embed(own, key), { status: 400, code: 'EMBEDDING_NOT_CONFIGURED' })
})

test('sandbox/embedding finds a word by its parts, for nothing', async () => {
  await using world = await sharedWorld({ config: 'defaults: { embedding_model: sandbox/embedding }' })
  const key = await world.key()
  const before = await world.balance()
  const { id, source } = await known(key)
  expect(source.vectors).toMatchObject({ state: 'ready', model: 'sandbox/embedding' })
  // A slip of the finger, which words do not forgive.
  const { body } = await find(key, id, 'تسهیلاتت خریدد', 1)
  expect(body).toMatchObject({ data: [{ heading: 'بانک' }], by: ['words', 'vectors'] })
  expect(await world.balance()).toEqual(before)
})
