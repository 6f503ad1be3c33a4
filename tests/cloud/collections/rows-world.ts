/** A cloud with collections, and clients of its app: the unchanged supabase-js, signed out, signed in, and with the service key. */
import assert from 'node:assert/strict'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { sharedWorld } from '../../harness/shared-world.ts'
import { boot, type TestCloud, type World, type WorldOptions } from '../../harness/world.ts'
import { sentAgain } from '../sent-again.ts'

// biome-ignore lint/suspicious/noExplicitAny: rows have the fields that a test gives them.
export type AppClient = SupabaseClient<any>

export interface RowsWorld extends AsyncDisposable {
  world: World
  cloud: TestCloud
  anon: AppClient
  service: AppClient
  /** A signed-in app user. */
  user(): Promise<{ id: string; client: AppClient }>
  /** A request of the app as it stands, and once only. */
  ask(path: string, init?: RequestInit & { as?: string }): Promise<Response>
  collection(name: string, options?: { public_read?: boolean }): Promise<void>
  serviceKey: string
}

export const clientOf = (url: string, key: string, send = sentAgain(fetch)): AppClient =>
  createClient(url, key, {
    auth: { persistSession: false, autoRefreshToken: false },
    global: { fetch: send },
  })

export const bootRows = async (options: WorldOptions): Promise<RowsWorld> => openRows(await boot(options))

/** The same on the shared server. */
export const shareRows = async (): Promise<RowsWorld> => openRows(await sharedWorld())

async function openRows(world: World): Promise<RowsWorld> {
  const cloud = await world.cloud()
  await cloud.changeAuth({ anonymous_sign_ins: true })
  const serviceKey = await cloud.serviceKey()
  const { pathUrl, publicKey } = cloud
  return {
    world,
    cloud,
    serviceKey,
    anon: clientOf(pathUrl, publicKey),
    service: clientOf(pathUrl, serviceKey),
    async user() {
      const client = clientOf(pathUrl, publicKey)
      const { data, error } = await client.auth.signInAnonymously()
      assert.equal(error, null)
      return { id: data.user!.id, client }
    },
    ask: (path, { as = publicKey, ...init } = {}) =>
      fetch(`${pathUrl}/rest/v1${path}`, {
        ...init,
        headers: { apikey: as, ...(init.headers as Record<string, string>) },
      }),
    async collection(name, more = {}) {
      const body = { action: 'create_collection', name, ...more }
      const made = await cloud.client.post(`/v1/cloud/${cloud.id}/database`, body)
      assert.equal(made.status, 200, made.text)
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}
