/** Runs and time: a run that takes too long is ended, one past its retention is deleted. */
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectRefusal } from '../contract/refusal.ts'
import { until } from '../harness/until.ts'
import { MovableClock } from '../harness/world.ts'
import { bootWork, create, ended, fileOf, input, keep, read, type WorkWorld, whole } from './work-world.ts'

const clock = new MovableClock()
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const rest = 'work: { runs_per_account: 1, max_minutes: 3 }'
let at: WorkWorld
beforeAll(async () => {
  // Whoever does not stop is waited for in real time.
  at = await bootWork({ clock, rest, timing: { abortGraceMs: 500 } })
})
afterAll(() => at[Symbol.asyncDispose]())

const running = (id: string) => until(async () => (await read(at.key, id)).body.status === 'running')

test('a run that takes too long fails, keeps what it has made, and pays what it used', async () => {
  at.play('longer than it may', async (context) => {
    await keep(context, 'notes.md', 'so far')
    await new Promise((_, reject) =>
      context.signal.addEventListener('abort', () => reject(context.signal.reason)),
    )
  })
  const { body } = await create(at.key, { input: 'longer than it may' })
  await until(async () => (await read(at.key, body.id)).body.files.length === 2)
  clock.moveMs(3 * minuteMs - 1)
  await running(body.id)
  clock.moveMs(1)
  expect(await ended(at.key, body.id)).toMatchObject({
    status: 'failed',
    credits: 0,
    error: { code: 'WORK_TIME_LIMIT' },
  })
  expect(await (await fileOf(at.key, body.id, 'path=notes.md')).text()).toBe('so far')
})

test('a pipeline that does not listen holds nobody up, and may write no more', async () => {
  const released = Promise.withResolvers<void>()
  const late = Promise.withResolvers<unknown>()
  at.play('deaf to all signals', async (context) => {
    await released.promise
    await keep(context, 'late.md', 'too late').then(late.resolve, late.resolve)
  })
  const { body } = await create(at.key, { input: 'deaf to all signals' })
  await running(body.id)
  clock.moveMs(3 * minuteMs)
  expect((await ended(at.key, body.id)).status).toBe('failed')
  released.resolve()
  expect(await late.promise).toMatchObject({ name: 'Stopped' })
  expect((await read(at.key, body.id)).body.files).toHaveLength(1)
})

test('a run that found no place within a day is ended, and costs nothing', async () => {
  const clock = new MovableClock()
  // The run that has the place is told to stop, too, and does not: it keeps it until the other is ended.
  await using at = await bootWork({ clock, rest, timing: { abortGraceMs: 60_000 } })
  const released = Promise.withResolvers<void>()
  at.play('the only place there is', async () => void (await released.promise))
  const busy = await create(at.key, { input: 'the only place there is' })
  await until(async () => (await read(at.key, busy.body.id)).body.status === 'running')
  const { body } = await create(at.key)
  // Its worker is gone, as far as anybody can see.
  await at.world.app.db.query(
    { text: `update work.runs set deadline = deadline + interval '9 days' where run_id = $1` },
    [busy.body.id],
  )
  clock.moveMs(dayMs + 5 * minuteMs)
  expect(await ended(at.key, body.id)).toMatchObject({ status: 'failed', credits: 0, started_at: null })
  released.resolve()
  await ended(at.key, busy.body.id)
})

test('after 30 days a run is gone with its words and its bytes; its receipt stays', async () => {
  at.play(input, async (context) => {
    await context.once('large', async () => 'x'.repeat(70_000))
    await keep(context, 'report.md', 'first')
    await keep(context, 'report.md', 'second')
    return whole
  })
  const { body } = await create(at.key)
  await ended(at.key, body.id)
  const { app, account } = at.world
  const folder = path.join(app.config.dataDir, 'files', 'work', account, body.id)
  expect(await readdir(folder)).toHaveLength(3)
  clock.moveMs(30 * dayMs - 1)
  expect((await read(at.key, body.id)).status).toBe(200)
  clock.moveMs(1 + minuteMs)
  await until(async () => (await read(at.key, body.id)).status === 404)
  expectRefusal(await at.key.get(`/v1/work/${body.id}/files?path=report.md`), {
    status: 404,
    code: 'NOT_FOUND',
    param: 'id',
  })
  expect(await readdir(folder)).toEqual([])
  for (const table of ['steps', 'events', 'files', 'blobs'])
    expect(await app.db.query({ text: `select from work.${table} where run_id = $1` }, [body.id])).toEqual([])
  expect((await at.key.receipt(body.request_id)).body).toMatchObject({ state: 'completed' })
})
