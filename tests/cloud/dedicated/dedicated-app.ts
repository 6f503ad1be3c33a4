/** The app of a dedicated cloud as its users have it: the unchanged supabase-js, signed out, signed in, and with the service key. */
import assert from 'node:assert/strict'
import type { SupabaseClient } from '@supabase/supabase-js'
import type pg from 'pg'
import type { World, WorldOptions } from '../../harness/world.ts'
import { newAddress, newClient, password } from '../users/app.ts'
import { type DedicatedCloud, dedicatedCloud, dedicatedWorld } from './dedicated-world.ts'

// biome-ignore lint/suspicious/noExplicitAny: rows have the columns that a test gives them.
export type AppClient = SupabaseClient<any>

export interface Person {
  client: AppClient
  id: string
  token: string
}

export interface DedicatedApp extends AsyncDisposable {
  world: World
  cloud: DedicatedCloud
  serviceKey: string
  anon: AppClient
  service: AppClient
  /** Somebody who has signed up. */
  person(): Promise<Person>
  /** A request as it stands; by the public key where no other is named. */
  ask(path: string, init?: RequestInit & { token?: string; key?: string }): Promise<Response>
  /** SQL of whoever develops the app. */
  sql(script: string): Promise<pg.QueryResult>
  /** Of files and objects together, as they are counted. */
  counted(): Promise<{ files: number; bytes: number }>
}

export async function bootApp(script: string, options: WorldOptions = {}): Promise<DedicatedApp> {
  const app = await dedicatedApp(await dedicatedWorld(options))
  await app.sql(script)
  return app
}

export async function dedicatedApp(world: World): Promise<DedicatedApp> {
  const cloud = await dedicatedCloud(world)
  const { pathUrl, publicKey } = cloud
  const serviceKey = await cloud.serviceKey()
  const key = { accountId: world.account, cloudId: cloud.id }
  await world.app.clouds.refresh(key)
  return {
    ...{ world, cloud, serviceKey },
    anon: newClient(cloud),
    service: newClient(cloud, { key: serviceKey }),
    async person() {
      const client = newClient(cloud)
      const { data, error } = await client.auth.signUp({ email: newAddress(), password })
      assert.equal(error, null)
      return { client, id: data.user!.id, token: data.session!.access_token }
    },
    ask(path, { token, key: apikey = publicKey, ...init } = {}) {
      const headers = new Headers(init.headers)
      headers.set('apikey', apikey)
      if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
      return fetch(`${pathUrl}${path}`, { ...init, headers })
    },
    sql: (text) => world.app.databases.use(key, (open) => open.pool('postgres').query(text)),
    async counted() {
      const { rows } = await world.app.db.pool.query(
        'select files, bytes from app_files.counts where cloud_id = $1',
        [cloud.id],
      )
      return { files: Number(rows[0]?.files ?? 0), bytes: Number(rows[0]?.bytes ?? 0) }
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}
