/** Dedicated clouds of a world, made over HTTP as everybody makes them. */
import type { Client } from '../../harness/client.ts'
import { until } from '../../harness/until.ts'
import { boot, dedicatedConfig, type TestCloud, type World, type WorldOptions } from '../../harness/world.ts'

export const dedicatedWorld = (options: WorldOptions = {}): Promise<World> =>
  boot({ config: dedicatedConfig, ...options })

export interface DedicatedCloud extends TestCloud {
  /** Runs SQL through the route. */
  read(query: string, more?: object): Promise<SqlReply>
  write(query: string, headers?: Record<string, string>): Promise<SqlReply>
}

type SqlReply = Awaited<ReturnType<Client['post']>>

/** Where no connection could be made in time, on a machine that stood still, nothing was done. */
export const sentAgain = (send: () => Promise<SqlReply>): Promise<SqlReply> =>
  until(async () => {
    const reply = await send()
    return reply.body?.error?.code === 'DATABASE_BUSY' ? undefined : reply
  })

/** A new one that is ready, with a package of its own. */
export async function dedicatedCloud(world: World, name = 'نوبت', owner?: Client): Promise<DedicatedCloud> {
  const cloud = await world.dedicatedCloud(name, owner)
  const { client } = cloud
  const path = `/v1/cloud/${cloud.id}/database`
  return {
    ...cloud,
    read: (query, more) => sentAgain(() => client.post(path, { query, ...more })),
    write: (query, headers) =>
      sentAgain(() => client.post(path, { query, read_only: false, confirm_write: true }, headers ?? {})),
  }
}
