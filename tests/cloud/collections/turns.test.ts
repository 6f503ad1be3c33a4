import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CloudKey } from '#cloud/clouds'
import { Failure } from '#platform/errors'
import { Turns, type TurnsOptions } from '#platform/turns'
import { clientOf, type RowsWorld, shareRows } from './rows-world.ts'

let rows: RowsWorld
beforeAll(async () => {
  rows = await shareRows()
  await rows.collection('things', { public_read: true })
  await rows.service.from('things').insert({ n: 1 })
})
afterAll(() => rows[Symbol.asyncDispose]())

const key = () => ({ accountId: rows.world.account, cloudId: rows.cloud.id })

test('who would wait behind too many is told so at once, with the time to come again, and the places serve others meanwhile', async () => {
  const { collections } = rows.world.app
  const other = await rows.world.cloud('other')
  const held = Promise.withResolvers<void>()
  // As many as one cloud may have at once.
  const running = [1, 2, 3].map(() => collections.runInLane(key(), () => held.promise))
  const asked = Array.from({ length: 70 }, () =>
    rows.ask('/things', { headers: { 'accept-language': 'fa' } }),
  )
  const refused = await Promise.any(
    asked.map(async (one) => ((await one).status === 429 ? one : Promise.reject())),
  )
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(await refused.json()).toMatchObject({ code: 'PGRST003', message: expect.stringContaining('صف') })
  const list = await other.client.get(`/v1/cloud/${other.id}/database`)
  expect(list.body.data).toEqual([])
  // What a cloud uses is read elsewhere.
  const { status, body } = await rows.cloud.client.get(`/v1/cloud/${rows.cloud.id}`)
  expect([status, body.usage?.rows.used]).toEqual([200, 1])
  held.resolve()
  await Promise.all(running)
  const statuses = (await Promise.all(asked)).map(({ status }) => status)
  // 64 wait; on a machine that stands still some of them do so longer than they may.
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(6)
  expect(statuses.filter((status) => ![200, 400, 429].includes(status))).toEqual([])
})

test('a statement that takes longer than two seconds is stopped, changes nothing and says so', async () => {
  await rows.world.app.db.tx(async (tx) => {
    await tx
      .selectFrom('collections.counts' as never)
      .selectAll()
      .forUpdate()
      .execute()
    const once = clientOf(rows.cloud.pathUrl, rows.serviceKey, fetch)
    const stopped = await once.from('things').update({ n: 2 }).eq('n', 1)
    expect(stopped).toMatchObject({
      status: 400,
      error: { code: '57014', message: expect.stringContaining('2 seconds') },
    })
  })
  expect((await rows.anon.from('things').select('n')).data).toEqual([{ n: 1 }])
})

/** Work that ends on command, by name, in the order in which it began. */
function stage(options: Partial<TurnsOptions>) {
  const turns = new Turns({
    ...{
      places: 4,
      perOwner: 3,
      waitingPerOwner: 64,
      waiting: 1_000,
      maxWaitMs: 60_000,
      busy: () => new Failure('ROWS_BUSY', {}, {}),
    },
    ...options,
  })
  const began: string[] = []
  const ends = new Map<string, () => void>()
  const run = (cloud: string, name: string): Promise<void> => {
    const ran = turns.run(cloud, () => {
      began.push(name)
      return new Promise<void>((end) => ends.set(name, end))
    })
    // Those whose turn does not come are refused long after the test.
    ran.catch(() => undefined)
    return ran
  }
  const end = async (name: string): Promise<void> => {
    ends.get(name)!()
    for (let turn = 0; turn < 3; turn++) await nextTurn()
  }
  return { began, run, end }
}

test('clouds come in turn, and none has all places', async () => {
  const { began, run, end } = stage({})
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) void run('a', name)
  for (const name of ['b1', 'b2']) void run('b', name)
  void run('c', 'c1')
  expect(began).toEqual(['a1', 'a2', 'a3', 'b1'])
  await end('a1')
  await end('a2')
  await end('a3')
  expect(began.slice(4).sort()).toEqual(['a4', 'b2', 'c1'])
})

test('a statement that takes long begins anew where those of all clouds go one at a time, and others go on beside it', async () => {
  const { collections } = rows.world.app
  const began: string[] = []
  const clouds = ['a', 'b', 'c'].map((cloudId) => ({ accountId: rows.world.account, cloudId }))
  const [a, b, c] = clouds as [CloudKey, CloudKey, CloudKey]
  for (const cloud of [a, b])
    await collections.runInLane(cloud, async (db) => {
      began.push(cloud.cloudId)
      if (began.length % 2 === 1) await db.query({ text: 'select pg_sleep(60)' }, [])
    })
  expect(began).toEqual(['a', 'a', 'b', 'b'])
  const held = Promise.withResolvers<void>()
  const hold = (cloud: CloudKey) =>
    collections.runInLane(cloud, () => {
      began.push(`${cloud.cloudId} again`)
      return held.promise
    })
  const ended = [hold(a), hold(a), hold(b), hold(c)]
  await nextTurn()
  const beganBeside = began.slice(4).sort()
  held.resolve()
  await Promise.all(ended)
  expect(beganBeside).toEqual(['a again', 'c again'])
  expect(began.slice(6).sort()).toEqual(['a again', 'b again'])
})

test('what waits beside a long statement of its own cloud does not begin as short', async () => {
  const { collections } = rows.world.app
  const cloud = { accountId: rows.world.account, cloudId: 'd' }
  const began: number[] = []
  await Promise.all(
    Array.from({ length: 5 }, (_, nth) =>
      collections.runInLane(cloud, async (db) => {
        began.push(nth)
        if (began.length <= 3) await db.query({ text: 'select pg_sleep(60)' }, [])
      }),
    ),
  )
  // The three that began together twice, the others once.
  expect(began.sort()).toEqual([0, 0, 1, 1, 2, 2, 3, 4])
})
