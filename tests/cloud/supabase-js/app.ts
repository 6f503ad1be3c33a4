/** An app of the platform and its clients, by either address of its cloud. */
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { Agent, fetch as undiciFetch } from 'undici'
import { expect } from 'vitest'
import { WebSocket } from 'ws'
import { boot, type TestCloud, type World } from '../../harness/world.ts'
import { watchGroups } from './spy.ts'

// biome-ignore lint/suspicious/noExplicitAny: rows have the fields that a test gives them.
export type Client = SupabaseClient<any>

export interface Person {
  client: Client
  id: string
  email: string
  password: string
}

export interface AppWorld extends AsyncDisposable {
  world: World
  cloud: TestCloud
  serviceKey: string
  apps: Record<'path' | 'host', App>
}

export interface App {
  url: string
  /** A browser of its own, signed out. */
  client(key?: string, flowType?: 'pkce' | 'implicit'): Client
  /** As the clients ask: the host of a cloud is this machine. */
  fetch: typeof fetch
  /** Signed in. */
  person(): Promise<Person>
  /** With the service key. */
  service(): Client
  /** A collection or, of a dedicated cloud, a table that signed-in users write and everybody reads. */
  collection(): Promise<string>
}

/** `*.localhost` is this machine, whether its resolver knows it or not. */
const lookup = (_host: string, options: { all?: boolean }, done: (...found: never[]) => void): void => {
  const found = options.all ? [null, [{ address: '127.0.0.1', family: 4 }]] : [null, '127.0.0.1', 4]
  done(...(found as never[]))
}
const dispatcher = new Agent({ connect: { lookup: lookup as never } })
const fetchHere = ((input: never, init: object) =>
  undiciFetch(input, { ...init, dispatcher })) as unknown as typeof fetch
class SocketHere extends WebSocket {
  constructor(address: string | URL, protocols?: string | string[]) {
    super(address, protocols, { lookup: lookup as never })
  }
}

let people = 0
let collections = 0
export const newAddress = (): string => `person-${++people}-${process.pid}@example.com`

export async function bootApp(config?: string, plan: 'starter' | 'dedicated' = 'starter'): Promise<AppWorld> {
  const world = await boot(config === undefined ? {} : { config })
  const cloud = await (plan === 'starter' ? world.cloud() : world.dedicatedCloud())
  const serviceKey = await cloud.serviceKey()
  await world.app.clouds.refresh({ accountId: world.account, cloudId: cloud.id })
  await cloud.changeAuth({ anonymous_sign_ins: true })
  const collection = plan === 'starter' ? () => newCollection(cloud) : () => newTable(world, cloud)
  const of = (url: string): App => appOf({ url, cloud, serviceKey, collection })
  return {
    ...{ world, cloud, serviceKey, apps: { path: of(cloud.pathUrl), host: of(cloud.url) } },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

interface AppParts extends Pick<App, 'url' | 'collection'> {
  cloud: TestCloud
  serviceKey: string
}

function appOf({ url, cloud, serviceKey, collection }: AppParts): App {
  const client: App['client'] = (key = cloud.publicKey, flowType = 'implicit') => {
    const kept = new Map<string, string>()
    const made = createClient(url, key, {
      global: { fetch: fetchHere },
      // By itself a client without channels leaves after two heartbeats.
      realtime: { transport: SocketHere as never, disconnectOnEmptyChannelsAfterMs: 200 },
      auth: {
        ...{
          autoRefreshToken: false,
          detectSessionInUrl: false,
          flowType,
          storageKey: `sb-${Math.random()}`,
        },
        experimental: { passkey: true, recoveryCodes: true },
        storage: {
          getItem: (name) => kept.get(name) ?? null,
          setItem: (name, value) => void kept.set(name, value),
          removeItem: (name) => void kept.delete(name),
        },
      },
    })
    watch(made)
    return made
  }
  return {
    ...{ url, client, fetch: fetchHere, service: () => client(serviceKey) },
    async person() {
      const [email, password] = [newAddress(), 'گذرواژهٔ بلند ۱۲۳']
      const own = client()
      const { data, error } = await own.auth.signUp({ email, password })
      expect(error).toBeNull()
      return { client: own, id: data.user!.id, email, password }
    },
    collection,
  }
}

async function newCollection(cloud: TestCloud): Promise<string> {
  const name = `rows_${++collections}`
  const path = `/v1/cloud/${cloud.id}/database`
  const made = await cloud.client.post(path, { action: 'create_collection', name, public_read: true })
  expect(made.status, made.text).toBeLessThan(300)
  return name
}

/** A table with the columns that these tests give to rows, and the rights of a collection as policies. */
async function newTable({ app }: World, { ref }: TestCloud): Promise<string> {
  const name = `rows_${++collections}`
  const live = (await app.clouds.find(ref))!
  await app.databases.use(live, (open) =>
    open.pool('postgres').query(`
      create table ${name} (id uuid primary key default gen_random_uuid(), owner_id uuid default auth.uid(), name text, age int,
        tags text[], span int4range, text text, done boolean, none int, more int);
      alter table ${name} enable row level security;
      create policy "everybody reads" on ${name} for select using (true);
      create policy "owners write" on ${name} for all to authenticated using ((select auth.uid()) = owner_id);`),
  )
  return name
}

/** Groups of methods on plain objects are each client's own. */
function watch({ auth }: Client): void {
  const groups = { mfa: auth.mfa, oauth: auth.oauth, passkey: auth.passkey }
  const { mfa, oauth, customProviders, passkey } = auth.admin as unknown as Record<
    string,
    Record<string, unknown>
  >
  for (const [name, group] of Object.entries(groups)) watchGroups(`auth.${name}`, group as never)
  watchGroups('auth.mfa.recoveryCodes', (auth.mfa as unknown as Record<string, never>)['recoveryCodes']!)
  for (const [name, group] of Object.entries({ mfa, oauth, customProviders, passkey }))
    watchGroups(`auth.admin.${name}`, group as never)
}
