/** The databases of dedicated clouds, from their creation to their deletion. */
import { access } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../harness/until.ts'
import { boot, type World } from '../../harness/world.ts'
import { hasJail } from '../jail/needs-jail.ts'

const canRun = await hasJail()
let world: World
beforeAll(async () => {
  if (canRun) world = await boot()
})
afterAll(async () => {
  if (canRun) await world[Symbol.asyncDispose]()
})

test.runIf(canRun)('a dedicated cloud gets a database of its own, which goes with it', async () => {
  const client = await world.key({ project: await world.newProject() })
  const made = await client.post('/v1/cloud', { name: 'نوبت', plan: 'dedicated' })
  expect(made.status).toBe(202)
  expect(made.body).toMatchObject({ plan: 'dedicated', status: 'provisioning' })
  const show = () => client.get(`/v1/cloud/${made.body.id}`)
  await until(async () => (await show()).body.status === 'ready')
  const cloud = (await world.app.clouds.find(made.body.ref))!
  const version = await world.app.databases.use(cloud, async (open) => {
    const { rows } = await open
      .pool('postgres')
      .query("select current_setting('server_version_num')::int as n")
    return rows[0].n
  })
  expect(version).toBeGreaterThanOrEqual(160_000)
  const folder = path.join(world.app.config.dataDir, 'databases', made.body.ref)
  await access(folder)
  await client.request('DELETE', `/v1/cloud/${made.body.id}`, JSON.stringify({ confirm: 'نوبت' }))
  await until(async () => (await show()).status === 404)
  await expect(access(folder)).rejects.toThrow('ENOENT')
})
