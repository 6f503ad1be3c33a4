/** The databases of dedicated clouds, from their creation to their deletion. */
import { access } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packagesText } from '../../cloud/dedicated/packages-text.ts'
import { hasJail } from '../../cloud/jail/needs-jail.ts'
import { until } from '../../harness/until.ts'
import { boot, type World } from '../../harness/world.ts'

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
    const { id, ref, client } = await world.dedicatedCloud('نوبت')
    expect((await client.post(`/v1/cloud/${id}/retry`, {})).body.error.code).toBe('CLOUD_READY')
    const offered = async () => (await client.get('/v1/cloud')).body.packages[1]
    expect(await offered()).toMatchObject({ package: 'small', free: 0 })
    const cloud = (await world.app.clouds.find(ref))!
    const version = await world.app.databases.use(cloud, async (open) => {
      const { rows } = await open
        .pool('postgres')
        .query("select current_setting('server_version_num')::int as n")
      return rows[0].n
    })
    expect(version).toBeGreaterThanOrEqual(160_000)
    const folder = path.join(world.app.config.dataDir, 'databases', ref)
    await access(folder)
    await client.request('DELETE', `/v1/cloud/${id}`, JSON.stringify({ confirm: 'نوبت' }))
    await until(async () => (await client.get(`/v1/cloud/${id}`)).status === 404)
    expect(await offered()).toMatchObject({ package: 'small', free: 1 })
    await expect(access(folder)).rejects.toThrow('ENOENT')
  },
)
