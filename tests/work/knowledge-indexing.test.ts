import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { App } from '#app'
import { type Job, startWorkers } from '#platform/jobs'
import { TraceContext } from '#platform/trace'
import { knowledge } from '#work/knowledge'
import { expectRefusal } from '../contract/refusal.ts'
import type { Client } from '../harness/client.ts'
import { until } from '../harness/until.ts'
import { boot, type World } from '../harness/world.ts'
import { add, create, path, read, remove, textsFound } from './knowledge-world.ts'

/** Its own workers stand still; each test starts those it needs. */
let world: World
let key: Client
let id: string
beforeAll(async () => {
  world = await boot({
    config: 'files: { project_quota_mb: 1 }',
    roles: { api: true, worker: false },
  })
  key = await world.key()
  id = await create(key)
})
afterAll(() => world[Symbol.asyncDispose]())

const work = (app: Partial<App> = {}) => startWorkers({ app: { ...world.app, ...app }, jobs: knowledge.jobs })

const queue = (text: string): Promise<string> =>
  add(key, id, { type: 'text', text }).then(({ body }) => body.id)
const stored = async (sourceId: string) => {
  const bytes = await world.app.storage.get(`knowledge/${world.account}/${sourceId}`)
  return bytes && String(await buffer(bytes))
}
const passagesOf = async (sourceId: string) =>
  (
    await world.app.db.query<{ n: number }>(
      { text: 'select count(*)::int as n from knowledge.passages where source_id = $1' },
      [sourceId],
    )
  )[0]!.n

test('a source that two read at once is indexed once', async () => {
  const sourceId = await queue('دو خواننده')
  const gate = Promise.withResolvers<void>()
  let readers = 0
  const reader: App['reader'] = {
    ...world.app.reader,
    async read(...ask) {
      readers += 1
      if (readers === 2) gate.resolve()
      await gate.promise
      return world.app.reader.read(...ask)
    },
  }
  const [{ handle }] = knowledge.jobs as unknown as [Job<{ knowledgeId: string; sourceId: string }, App>]
  const run = {
    app: { ...world.app, reader },
    accountId: world.account,
    data: { knowledgeId: id, sourceId },
    stopping: new AbortController().signal,
    signal: new AbortController().signal,
    trace: new TraceContext(undefined),
    progressed: async () => undefined,
  }
  await Promise.all([handle(run), handle(run)])
  expect(await passagesOf(sourceId)).toBe(1)
  expect(await stored(sourceId)).toBeUndefined()
  // Whoever comes later finds nothing to do.
  expect(await handle(run)).toBeUndefined()
})

test('a source whose reader was cut is read by another, from bytes that are still there', async () => {
  const sourceId = await queue('خوانندهٔ نخست مرد')
  expect(await stored(sourceId)).toBe('خوانندهٔ نخست مرد')
  const begun = Promise.withResolvers<void>()
  const hangs: App['reader'] = {
    ...world.app.reader,
    read: (_kind, _bytes, { signal }) =>
      new Promise((_, reject) => {
        begun.resolve()
        signal.addEventListener('abort', () => reject(signal.reason))
      }),
  }
  const timing = { ...world.app.config.timing, drainMs: 1_600 }
  const first = work({ reader: hangs, config: { ...world.app.config, timing } })
  await begun.promise
  await first[Symbol.asyncDispose]()
  expect((await key.get(`${path}/${id}/sources/${sourceId}`)).body.state).toBe('queued')
  await using _second = work()
  expect((await read(key, id, sourceId)).state).toBe('ready')
  expect(await textsFound(key, id, 'مرد')).toEqual(['خوانندهٔ نخست مرد'])
})

test('a source that breaks its reader again and again is given up, in words', async () => {
  const sourceId = await queue('می‌شکند')
  await world.app.db.query({ text: 'update knowledge.sources set attempts = 8 where source_id = $1' }, [
    sourceId,
  ])
  await using _workers = work()
  const source = await read(key, id, sourceId)
  expect(source).toMatchObject({ state: 'failed', problem: { code: 'given_up' } })
  await until(async () => (await stored(sourceId)) === undefined)
})

test('a source that was deleted before it was read leaves nothing, neither does its project', async () => {
  const sourceId = await queue('پیش از خواندن')
  expect((await remove(key, `${id}/sources/${sourceId}`)).status).toBe(200)
  expect(await stored(sourceId)).toBeUndefined()
  const other = await create(key)
  const { body } = await add(key, other, { type: 'text', text: 'دیگری' })
  expect(await stored(body.id)).toBe('دیگری')
  expect((await remove(key, other)).status).toBe(200)
  expect(await stored(body.id)).toBeUndefined()
  await using _workers = work()
  await until(async () => (await world.app.db.query({ text: 'select 1 from jobs.queue' }, [])).length === 0)
  expect([await passagesOf(sourceId), await passagesOf(body.id)]).toEqual([0, 0])
  expect(await world.app.db.query({ text: 'select 1 from storage.pending_blobs' }, [])).toEqual([])
})

test('a project holds so many passages and no more', async () => {
  const full = await create(key)
  const put = (text: string) => add(key, full, { type: 'text', text }).then(({ body }) => body.id)
  const first = await put('یک')
  await using _workers = work()
  await read(key, full, first)
  await world.app.db.query({ text: 'update knowledge.sources set passages = 49999 where source_id = $1' }, [
    first,
  ])
  const fits = await put('دو')
  expect((await read(key, full, fits)).state).toBe('ready')
  const beyond = await read(key, full, await put('سه'))
  expect(beyond).toMatchObject({ state: 'failed', problem: { code: 'knowledge_full' } })
  expect(await textsFound(key, full, 'سه')).toEqual([])
})

test('the hundredth knowledge project and the thousandth source are taken, the next are not', async () => {
  const { app, account } = world
  const project = await world.newProject()
  const owner = await world.key({ project })
  await app.db.query(
    {
      text: `insert into knowledge.projects (account_id, knowledge_id, project_id, name, created_at, updated_at)
        select $1, gen_random_uuid(), $2, 'x', now(), now() from generate_series(1, 99)`,
    },
    [account, project],
  )
  const full = { status: 403, code: 'KNOWLEDGE_LIMIT' }
  // All at once: one gets the last place.
  const many = await Promise.all(Array.from({ length: 8 }, () => owner.post(path, { name: 'x' })))
  const [made, ...refused] = many.sort((one, other) => one.status - other.status)
  expect(made!.status).toBe(201)
  for (const reply of refused) expectRefusal(reply, full)
  const hundredth = made!.body.id
  await app.db.query(
    {
      text: `insert into knowledge.sources (account_id, knowledge_id, source_id, key_id, kind, state, created_at)
        select $1, $2, gen_random_uuid(), gen_random_uuid(), 'text', 'failed', now() from generate_series(1, 999)`,
    },
    [account, hundredth],
  )
  const body = { type: 'text', text: 'آخرین' }
  expect((await add(owner, hundredth, body)).status).toBe(201)
  expectRefusal(await add(owner, hundredth, body), full)
  expect(await app.db.query({ text: 'select 1 from storage.pending_blobs' }, [])).toEqual([])
})
