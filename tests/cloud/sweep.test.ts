/** What is over is deleted by jobs: keys that are accepted no more, and users whom nobody can be any more. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../harness/until.ts'
import { boot, MovableClock, type TestCloud, type World } from '../harness/world.ts'
import { newClient } from './users/app.ts'

let world: World
const clock = new MovableClock()
const dayMs = 24 * 60 * 60 * 1000
beforeAll(async () => {
  world = await boot({ clock })
})
afterAll(() => world[Symbol.asyncDispose]())

const query = <Row>(text: string, values: unknown[] = []) => world.app.db.query<Row>({ text }, values)

/** Resolves when the job has run. */
async function run(name: string): Promise<void> {
  const id = randomUUID()
  const platform = '00000000-0000-0000-0000-000000000000'
  const text = `insert into jobs.queue (account_id, job_id, name, data, run_at) values ($1, $2, $3, 'null', now())`
  await query(text, [platform, id, name])
  await query(`notify jobs, '${name}'`)
  await until(async () => (await query('select from jobs.queue where job_id = $1', [id])).length === 0)
}

test('keys that are accepted no more are deleted, private halves of signing keys with them', async () => {
  const cloud = await world.cloud('keys')
  const rotate = (kind: string) =>
    cloud.client.post(`/v1/cloud/${cloud.id}/keys`, { kind, grace_seconds: 60 })
  for (const kind of ['public', 'service', 'service', 'signing'])
    expect((await rotate(kind)).status).toBe(201)
  const many = async () => {
    const [row] = await query<{ keys: bigint; signing: bigint }>(
      `select (select count(*) from clouds.keys where cloud_id = $1) as keys,
        (select count(*) from clouds.signing_keys where cloud_id = $1) as signing`,
      [cloud.id],
    )
    return [Number(row!.keys), Number(row!.signing)]
  }
  clock.moveMs(59_999)
  await run('clouds.sweep')
  expect(await many()).toEqual([4, 2])
  clock.moveMs(1)
  await run('clouds.sweep')
  expect(await many()).toEqual([2, 1])
  expect((await cloud.client.get(`/v1/cloud/${cloud.id}/keys`)).body.data).toHaveLength(3)
})

const userIds = async ({ client, id }: TestCloud): Promise<string[]> =>
  (await client.get(`/v1/cloud/${id}/users`)).body.data.map((user: { id: string }) => user.id)

test('a user without an address whose last session is over is deleted after 30 days, with files and place; one who is signed in stays', async () => {
  const cloud = await world.cloud('anonymous')
  await cloud.changeAuth({ anonymous_sign_ins: true })
  const [leaving, staying] = [newClient(cloud), newClient(cloud)]
  const { data } = await leaving.auth.signInAnonymously()
  const stays = (await staying.auth.signInAnonymously()).data.user!.id
  const stored = await fetch(`${cloud.pathUrl}/files`, {
    method: 'POST',
    headers: {
      ...{ apikey: cloud.publicKey, 'content-type': 'application/json' },
      authorization: `Bearer ${data.session!.access_token}`,
    },
    body: JSON.stringify({ name: 'a', content_base64: 'YQ==' }),
  })
  expect(stored.status).toBe(201)
  await leaving.auth.signOut()
  clock.moveMs(30 * dayMs)
  await run('app-users.sweep')
  expect(await userIds(cloud)).toHaveLength(2)
  clock.moveMs(1)
  await run('app-users.sweep')
  expect(await userIds(cloud)).toEqual([stays])
  const { usage } = (await cloud.client.get(`/v1/cloud/${cloud.id}`)).body
  expect([usage.users.used, usage.files.used]).toEqual([1, 0])
  // Nobody has refreshed this session for so long that it is over, too.
  clock.moveMs(90 * dayMs)
  await run('app-users.sweep')
  expect(await userIds(cloud)).toEqual([])
})
