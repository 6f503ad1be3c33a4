/** Dedicated clouds of a world, made over HTTP as everybody makes them. */
import assert from 'node:assert/strict'
import { givePackage } from '#engine/clouds'
import type { Client } from '../../harness/client.ts'
import { until } from '../../harness/until.ts'
import { boot, createDedicated, type World, type WorldOptions } from '../../harness/world.ts'

const packages = 'clouds:\n  packages:\n    - id: small\n      name: { fa: کوچک, en: Small }\n'

export const dedicatedWorld = (options: WorldOptions = {}): Promise<World> =>
  boot({ config: packages, ...options })

export interface DedicatedCloud {
  id: string
  ref: string
  client: Client
  /** Runs SQL through the route. */
  read(query: string, more?: object): Promise<SqlReply>
  write(query: string, headers?: Record<string, string>): Promise<SqlReply>
}

type SqlReply = Awaited<ReturnType<Client['post']>>

/** A new one that is ready, with a package of its own. */
export async function dedicatedCloud(world: World, name = 'نوبت', owner?: Client): Promise<DedicatedCloud> {
  await givePackage(world.app, {
    accountId: world.account,
    packageId: undefined,
    offer: 'small',
    paidUntil: null,
  })
  const client = owner ?? (await world.key())
  const made = await createDedicated(client, name)
  assert.equal(made.status, 202, made.text)
  const { id, ref } = made.body
  await until(async () => {
    const { body } = await client.get(`/v1/cloud/${id}`)
    assert.notEqual(body.status, 'failed', body.error?.message)
    return body.status === 'ready'
  })
  const path = `/v1/cloud/${id}/database`
  return {
    ...{ id, ref, client },
    read: (query, more) => client.post(path, { query, ...more }),
    write: (query, headers) =>
      client.post(path, { query, read_only: false, confirm_write: true }, headers ?? {}),
  }
}
