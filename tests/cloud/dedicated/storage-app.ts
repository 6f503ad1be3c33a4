/** An app with buckets, and its clients. */
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { expect } from 'vitest'
import type { World } from '../../harness/world.ts'
import { type DedicatedCloud, dedicatedCloud } from './dedicated-world.ts'

// biome-ignore lint/suspicious/noExplicitAny: rows have the fields that a test gives them.
export type Client = SupabaseClient<any>

export interface Person {
  client: Client
  id: string
  token: string
}

export interface StorageApp {
  cloud: DedicatedCloud
  url: string
  publicKey: string
  serviceKey: string
  anon: Client
  service: Client
  person(): Promise<Person>
  /** As the developer; the statement must succeed. */
  sql(text: string): Promise<void>
  /** A request of its own to `/storage/v1`; by the public key where no other is named. */
  ask(path: string, init?: RequestInit & { token?: string; key?: string }): Promise<Response>
  /** Of files and objects together, as they are counted. */
  counted(): Promise<{ files: number; bytes: number }>
}

let people = 0

export async function storageApp(world: World): Promise<StorageApp> {
  const cloud = await dedicatedCloud(world)
  const { body } = await cloud.client.get(`/v1/cloud/${cloud.id}/connection`)
  const publicKey = body.public_key as string
  const made = await cloud.client.post(`/v1/cloud/${cloud.id}/keys`, { kind: 'service' })
  const serviceKey = made.body.secret as string
  await world.app.clouds.refresh({ accountId: world.account, cloudId: cloud.id })
  const url = `${world.appsUrl}/_cloud/${cloud.ref}`
  const client = (key = publicKey): Client =>
    createClient(url, key, {
      auth: { autoRefreshToken: false, persistSession: false, detectSessionInUrl: false },
    })
  return {
    ...{ cloud, url, publicKey, serviceKey, anon: client(), service: client(serviceKey) },
    async person() {
      const own = client()
      const email = `person-${++people}-${process.pid}@example.com`
      const { data, error } = await own.auth.signUp({ email, password: 'گذرواژهٔ بلند ۱۲۳' })
      expect(error).toBeNull()
      return { client: own, id: data.user!.id, token: data.session!.access_token }
    },
    async sql(text) {
      const reply = await cloud.write(text)
      expect(reply.status, reply.text).toBeLessThan(300)
    },
    ask(path, { token, key = publicKey, ...init } = {}) {
      const headers = new Headers(init.headers)
      headers.set('apikey', key)
      headers.set('authorization', `Bearer ${token ?? key}`)
      return fetch(`${url}/storage/v1${path}`, { ...init, headers })
    },
    async counted() {
      const { rows } = await world.app.db.pool.query(
        'select files, bytes from app_files.counts where cloud_id = $1',
        [cloud.id],
      )
      return { files: Number(rows[0]?.files ?? 0), bytes: Number(rows[0]?.bytes ?? 0) }
    },
  }
}
