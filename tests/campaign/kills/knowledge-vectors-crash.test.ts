/** A process dies during an embedding call: the process that takes over pays for none twice. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { App } from '#app'
import type { Job, JobDelay } from '#platform/jobs'
import { TraceContext } from '#platform/trace'
import { knowledge } from '#work/knowledge'
import { silence } from '../../harness/upstream.ts'
import { add, create, find, path } from '../../work/knowledge-world.ts'
import {
  bootOnVectors,
  meant,
  perToken,
  receipts,
  textsIn,
  tokensEach,
  type VectorsWorld,
  worstOf,
} from '../../work/vectors-world.ts'

/** Nothing works or sweeps in the background but what a test begins; a call that never ends here is not waited for at the end. */
let at: VectorsWorld
beforeAll(async () => {
  const timing = { sweepMs: 2 ** 31 - 1, storedDrainMs: 1 }
  at = await bootOnVectors({ roles: { api: true, worker: false }, timing })
})
afterAll(() => at[Symbol.asyncDispose]())
beforeEach(() => {
  at.upstream.reply(meant)
  at.upstream.calls.length = 0
})

interface Data {
  knowledgeId: string
  sourceId: string
}
const [indexJob, embedJob] = knowledge.jobs as unknown as [Job<Data, App>, Job<Data, App>]
const still = new AbortController().signal

const work = (
  job: Job<Data, App>,
  data: Data,
  app: Partial<App> = {},
  signal = still,
): Promise<JobDelay | undefined> =>
  job.handle({
    app: { ...at.world.app, ...app },
    accountId: at.world.account,
    data,
    stopping: still,
    signal,
    trace: new TraceContext(undefined),
    progressed: async () => undefined,
  })

/** A source of three passages that is read, and whose vectors are awaited: two calls. */
async function read(): Promise<Data> {
  const knowledgeId = await create(at.key)
  const text = '# الف\n\nگربه\n\n# ب\n\nوام\n\n# پ\n\nباران'
  const { body } = await add(at.key, knowledgeId, { type: 'text', text })
  const data = { knowledgeId, sourceId: body.id }
  await work(indexJob, data)
  return data
}
const stateOf = async ({ knowledgeId, sourceId }: Data) =>
  (await at.key.get(`${path}/${knowledgeId}/sources/${sourceId}`)).body.vectors
/** What the platform has lost with the account. */
async function lost(): Promise<bigint> {
  const [row] = await at.world.app.db.query<{ lost: bigint }>(
    {
      text: `select coalesce(-sum(amount), 0)::bigint as lost from ledger.entries where account_id = $1 and book = 'loss'`,
    },
    [at.world.account],
  )
  return row!.lost
}
const asked = () => at.upstream.calls.map((call) => textsIn(call).length)
const texts = ['الف\nگربه', 'ب\nوام']

test('cut in the middle of the call: it is free, never made again, and its passages are found by words', async () => {
  const before = await lost()
  const data = await read()
  at.upstream.reply(silence)
  const cut = new AbortController()
  const working = work(embedJob, data, {}, cut.signal)
  await at.upstream.call(0)
  cut.abort()
  await working
  at.upstream.reply(meant)
  expect(await work(embedJob, data)).toBeUndefined()
  expect(asked()).toEqual([2, 1])
  expect(await stateOf(data)).toMatchObject({ state: 'partial', problem: { code: 'lost' } })
  // As an upstream may bill it: a token for every four bytes.
  const guessed = texts.reduce((sum, text) => sum + BigInt(Math.ceil(Buffer.byteLength(text) / 4)), 0n)
  expect((await lost()) - before).toBe(guessed * perToken)
  expect((await receipts(at.world)).slice(-2)).toMatchObject([
    { state: 'failed', status_code: 499, charged: 0n },
    { state: 'completed', charged: BigInt(tokensEach) * perToken },
  ])
  const { body } = await find(at.key, data.knowledgeId, 'گربه', 1)
  expect(body).toMatchObject({ data: [{ heading: 'الف' }], by: ['words', 'vectors'] })
})

test('ended after the answer and before its vectors are stored: they come from the journal', async () => {
  const data = await read()
  const { db } = at.world.app
  const dies = { ...db, tx: () => Promise.reject(new Error('gone')) } as App['db']
  // The ledger has a database of its own in this process, so that only the storing dies.
  await work(embedJob, data, { db: dies }).catch(() => undefined)
  expect(asked()).toEqual([2])
  expect(await work(embedJob, data)).toBeUndefined()
  expect(asked()).toEqual([2, 1])
  expect(await stateOf(data)).toMatchObject({ state: 'ready', problem: null })
  expect((await receipts(at.world)).slice(-2)).toMatchObject([
    { charged: 2n * BigInt(tokensEach) * perToken },
    { charged: BigInt(tokensEach) * perToken },
  ])
  const { body } = await find(at.key, data.knowledgeId, 'پیشی', 1)
  expect(body.data).toMatchObject([{ heading: 'الف' }])
})

test('written down and never begun: the id is barred, and the call is made under another, once', async () => {
  const data = await read()
  const ledger = { ...at.world.app.ledger, hold: () => new Promise<never>(() => {}) } as App['ledger']
  void work(embedJob, data, { paid: { ...at.world.app.paid, ledger } })
  const text = `select effect_id from knowledge.vectors where source_id = $1 and state = 'begun'`
  const effect = () => at.world.app.db.query<{ effect_id: string }>({ text }, [data.sourceId])
  await expect.poll(async () => (await effect()).length).toBe(1)
  const [first] = await effect()
  expect(await work(embedJob, data)).toBeUndefined()
  expect(asked()).toEqual([2, 1])
  expect(await stateOf(data)).toMatchObject({ state: 'ready' })
  const late = at.world.app.ledger.hold({
    payer: { accountId: at.world.account, projectId: at.world.project, keyId: at.key.keyId },
    receiptId: first!.effect_id,
    endpoint: '/v1/knowledge/sources',
    microcredits: 1n,
    started: true,
    lifetimeMs: 1_000,
  })
  await expect(late).rejects.toThrow()
})

test('whoever comes while the call runs elsewhere waits, and two who begin at once make each call once', async () => {
  const data = await read()
  const gate = Promise.withResolvers<void>()
  at.upstream.reply(async (call) => {
    await gate.promise
    return meant(call)
  })
  const first = work(embedJob, data)
  await at.upstream.call(0)
  expect(await work(embedJob, data)).toMatchObject({ laterMs: expect.any(Number) })
  gate.resolve()
  await first
  expect(asked()).toEqual([2, 1])
  const both = await read()
  at.upstream.calls.length = 0
  await Promise.all([work(embedJob, both), work(embedJob, both)])
  await work(embedJob, both)
  expect(asked().toSorted()).toEqual([1, 2])
  expect(await stateOf(both)).toMatchObject({ state: 'ready' })
})

test('a process that died in the call leaves it lost: free, and never made again', async () => {
  const data = await read()
  const { ledger } = at.world.app
  const before = await lost()
  const dead = {
    ...ledger,
    hold: async (ask: Parameters<App['ledger']['hold']>[0]) => {
      const hold = await ledger.hold({ ...ask, lifetimeMs: -1 })
      return { ...hold, settle: () => new Promise<never>(() => {}) }
    },
  } as App['ledger']
  void work(embedJob, data, { paid: { ...at.world.app.paid, ledger: dead } })
  await at.upstream.call(0)
  expect(await work(embedJob, data)).toMatchObject({ laterMs: expect.any(Number) })
  await ledger.sweep()
  expect(await work(embedJob, data)).toBeUndefined()
  expect(asked()).toEqual([2, 1])
  expect(await stateOf(data)).toMatchObject({ state: 'partial', problem: { code: 'lost' } })
  expect((await receipts(at.world)).slice(-2)).toMatchObject([
    { state: 'failed', charged: 0n, held: worstOf(...texts), detail: { outcome: 'lost' } },
    { state: 'completed' },
  ])
  expect((await lost()) - before).toBe(worstOf(...texts))
})

test('a type that bears the name of pgvector’s is searched in the database, with the same answer', async () => {
  const data = await read()
  await work(embedJob, data)
  const here = (await find(at.key, data.knowledgeId, 'پیشی')).body
  // As pgvector has it: a type, its cast from real[], and the cosine distance.
  for (const text of [
    'create domain public.vector as real[]',
    `create function public.distance(a real[], b real[]) returns float8 language sql immutable as
      'select 1 - sum(x * y)::float8 from unnest(a, b) u(x, y)'`,
    'create operator public.<=> (leftarg = real[], rightarg = real[], function = public.distance)',
  ])
    await at.world.app.db.query({ text }, [])
  // What was asked once in a process is known there: another database handle is another process.
  const { db } = at.world.app
  const app = { db: { ...db } as App['db'] }
  const other = await read()
  await work(embedJob, other, app)
  const near = await db.query({ text: 'select position from knowledge.near order by position' }, [])
  expect(near).toEqual([{ position: 0 }, { position: 1 }, { position: 2 }])
  const { searchPgvector } = await import('../../../src/work/knowledge/embed/pgvector.ts')
  const query = Float32Array.from([1, 0, 0])
  const place = { accountId: at.world.account, knowledgeId: other.knowledgeId }
  expect(await searchPgvector(app.db, place, { model: 'test/near', query, limit: 10 })).toMatchObject([
    { source_id: other.sourceId, position: 0 },
    { source_id: other.sourceId, position: 2 },
  ])
  // What was embedded before the extension came is searched in this process.
  const before = { accountId: at.world.account, knowledgeId: data.knowledgeId }
  expect(await searchPgvector(app.db, before, { model: 'test/near', query, limit: 10 })).toBeUndefined()
  expect((await find(at.key, data.knowledgeId, 'پیشی')).body).toEqual(here)
})
