/** The tables of a dedicated cloud as its app has them: the unchanged supabase-js, signed out, signed in, and with the service key. */
import assert from 'node:assert/strict'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import type pg from 'pg'
import { boot, dedicatedConfig, type TestCloud, type World } from '../../harness/world.ts'

// biome-ignore lint/suspicious/noExplicitAny: rows have the columns that a test gives them.
export type AppClient = SupabaseClient<any>

export interface TablesApp extends AsyncDisposable {
  world: World
  cloud: TestCloud
  anon: AppClient
  service: AppClient
  /** Somebody who has signed up. */
  user(): Promise<{ id: string; client: AppClient; token: string }>
  /** A request as it stands, of the app's key or another. */
  ask(path: string, init?: RequestInit & { as?: string; token?: string }): Promise<Response>
  /** SQL of whoever develops the app. */
  sql(script: string): Promise<pg.QueryResult>
}

export const clientOf = (url: string, key: string): AppClient =>
  createClient(url, key, { auth: { persistSession: false, autoRefreshToken: false } })

let people = 0

export async function bootTables(script: string): Promise<TablesApp> {
  const world = await boot({ config: dedicatedConfig })
  const cloud = await world.dedicatedCloud()
  const live = (await world.app.clouds.find(cloud.ref))!
  const serviceKey = await cloud.serviceKey()
  await world.app.clouds.refresh({ accountId: world.account, cloudId: cloud.id })
  const sql: TablesApp['sql'] = (text) =>
    world.app.databases.use(live, (open) => open.pool('postgres').query(text))
  await sql(script)
  return {
    ...{ world, cloud, sql },
    anon: clientOf(cloud.pathUrl, cloud.publicKey),
    service: clientOf(cloud.pathUrl, serviceKey),
    async user() {
      const client = clientOf(cloud.pathUrl, cloud.publicKey)
      const email = `person-${++people}-${process.pid}@example.com`
      const { data, error } = await client.auth.signUp({ email, password: 'correct horse battery' })
      assert.equal(error, null)
      return { id: data.user!.id, client, token: data.session!.access_token }
    },
    ask: (path, { as = cloud.publicKey, token, ...init } = {}) =>
      fetch(`${cloud.pathUrl}/rest/v1${path}`, {
        ...init,
        headers: {
          apikey: as === 'service' ? serviceKey : as,
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(init.headers as Record<string, string>),
        },
      }),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}
