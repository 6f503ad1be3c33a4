/** The databases of dedicated clouds, from their creation to their deletion. */
import { access } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { givePackage } from '#engine/clouds'
import { until } from '../../harness/until.ts'
import { boot, type World } from '../../harness/world.ts'
import { hasJail } from '../jail/needs-jail.ts'
import { packagesText } from './packages-text.ts'

const canRun = await hasJail()
let world: World
beforeAll(async () => {
  if (canRun) world = await boot({ config: packagesText })
})
afterAll(async () => {
  if (canRun) await world[Symbol.asyncDispose]()
})

test.runIf(canRun)(
  'a dedicated cloud gets a database of its own and uses a package; with its deletion the one goes and the other is free',
  async () => {
    const client = await world.key({ project: await world.newProject() })
    const { account: accountId } = world
    await givePackage(world.app, { accountId, packageId: undefined, offer: 'small', paidUntil: null })
    const made = await client.post('/v1/cloud', { name: 'نوبت', plan: 'dedicated' })
    expect(made.status).toBe(202)
    expect(made.body).toMatchObject({ plan: 'dedicated', status: 'provisioning' })
    expect(made.body.package).toBe('small')
    const again = () => client.post('/v1/cloud', { name: 'نوبت', plan: 'dedicated' })
    expect([402, 'PACKAGE_USED_UP']).toEqual(
      await again().then(({ status, body }) => [status, body.error.code]),
    )
    const show = () => client.get(`/v1/cloud/${made.body.id}`)
    await until(async () => (await show()).body.status === 'ready')
    expect((await client.post(`/v1/cloud/${made.body.id}/retry`, {})).body.error.code).toBe('CLOUD_READY')
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
    expect((await client.get('/v1/cloud')).body.packages[1]).toMatchObject({ package: 'small', free: 1 })
    await expect(access(folder)).rejects.toThrow('ENOENT')
  },
)
