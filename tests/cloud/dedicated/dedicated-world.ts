/** Dedicated clouds of a world, made over HTTP as everybody makes them. */
import type { Client } from '../../harness/client.ts'
import { boot, dedicatedConfig, type TestCloud, type World, type WorldOptions } from '../../harness/world.ts'

export const dedicatedWorld = (options: WorldOptions = {}): Promise<World> =>
  boot({ config: dedicatedConfig, ...options })

export interface DedicatedCloud extends TestCloud {
  /** Runs SQL through the route. */
  read(query: string, more?: object): Promise<SqlReply>
  write(query: string, headers?: Record<string, string>): Promise<SqlReply>
}

type SqlReply = Awaited<ReturnType<Client['post']>>

/** A new one that is ready, with a package of its own. */
export async function dedicatedCloud(world: World, name = 'نوبت', owner?: Client): Promise<DedicatedCloud> {
  const cloud = await world.dedicatedCloud(name, owner)
  const { client } = cloud
  const path = `/v1/cloud/${cloud.id}/database`
  return {
    ...cloud,
    read: (query, more) => client.post(path, { query, ...more }),
    write: (query, headers) =>
      client.post(path, { query, read_only: false, confirm_write: true }, headers ?? {}),
  }
}
