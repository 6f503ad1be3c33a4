/** A cloud with collections, and clients of its app: the unchanged supabase-js, signed out, signed in, and with the service key. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { fail } from '#platform/errors'
import { areas } from '../../../src/capabilities/cloud/app/areas.ts'
import { CloudHandler } from '../../../src/capabilities/cloud/app/cloud-handler.ts'
import { boot, type TestCloud, type World, type WorldOptions } from '../../harness/world.ts'

// biome-ignore lint/suspicious/noExplicitAny: rows have the fields that a test gives them.
export type AppClient = SupabaseClient<any>

export interface RowsWorld extends AsyncDisposable {
  world: World
  cloud: TestCloud
  address: string
  anon: AppClient
  service: AppClient
  /** A signed-in app user. */
  user(): { id: string; client: AppClient }
  /** A request of the app as it stands. */
  ask(path: string, init?: RequestInit & { as?: string }): Promise<Response>
  collection(name: string, options?: { public_read?: boolean }): Promise<void>
  serviceKey: string
}

/** The token of an app user is its id: what sessions are is the matter of another room. */
export async function bootRows(options: WorldOptions = {}): Promise<RowsWorld> {
  const owned = new AsyncDisposableStack()
  const world = owned.use(await boot(options))
  const handler = owned.use(
    new CloudHandler({
      app: world.app,
      clouds: world.app.clouds,
      areas,
      async verify(_cloud, token) {
        const [, userId] = /^user-([0-9a-f-]{36})$/.exec(token) ?? []
        if (userId === undefined) return fail('CLOUD_KEY_INVALID', { given: true })
        return { role: 'authenticated', userId, sessionId: userId, claims: {} }
      },
    }),
  )
  const cloud = await world.cloud()
  const serviceKey = await cloud.serviceKey()
  await world.app.clouds.refresh({ accountId: world.account, cloudId: cloud.id })
  const host = new URL(cloud.url).hostname
  const server = createServer((message, response) =>
    handler.handle({ message, response, host, pathPrefix: '', clientAddress: '127.0.0.1', secure: false }),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  owned.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = (key: string, token?: string): AppClient =>
    createClient(address, key, {
      auth: { persistSession: false, autoRefreshToken: false },
      ...(token !== undefined && { accessToken: async () => token }),
    })
  return {
    world,
    cloud,
    address,
    serviceKey,
    anon: client(cloud.publicKey),
    service: client(serviceKey),
    user() {
      const id = randomUUID()
      return { id, client: client(cloud.publicKey, `user-${id}`) }
    },
    ask: (path, { as = cloud.publicKey, ...init } = {}) =>
      fetch(`${address}/rest/v1${path}`, {
        ...init,
        headers: { apikey: as, ...(init.headers as Record<string, string>) },
      }),
    async collection(name, more = {}) {
      const made = await cloud.client.post(`/v1/cloud/${cloud.id}/database`, {
        action: 'create_collection',
        name,
        ...more,
      })
      if (made.status !== 200) throw new Error(made.text)
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
