/** An app of the platform and its clients, by either address of its cloud. */
import { createClient } from '@supabase/supabase-js'
import { Agent, fetch as undiciFetch } from 'undici'
import { expect } from 'vitest'
import { WebSocket } from 'ws'
import { boot, dedicatedConfig, type TestCloud, type World } from '../../harness/world.ts'
import { send } from '../functions/scene.ts'
import { sentAgain } from '../sent-again.ts'
import { type Family, type Plan, sentences } from './answers.ts'
import { type Mailbox, press } from './mailbox.ts'
import { type Client, type Person, signedOut, signedUp } from './people.ts'
import { watchGroups } from './spy.ts'

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
  /** Of a dedicated cloud: one in which signed-in users do as they like. */
  bucket(): Promise<string>
  deploy(name: string, code: string): Promise<void>
  /** The text of the newest mail to an address. */
  newestMail(address: string): Promise<string>
  /** Follows a link of a mail and presses its button. Where it leads on to. */
  press(link: string): Promise<string>
  /** With which sentence what is not offered is refused. */
  says: Record<Family, string>
}

/** `*.localhost` is this machine, whether its resolver knows it or not. */
const lookup = (_host: string, options: { all?: boolean }, done: (...found: never[]) => void): void => {
  const found = options.all ? [null, [{ address: '127.0.0.1', family: 4 }]] : [null, '127.0.0.1', 4]
  done(...(found as never[]))
}
const dispatcher = new Agent({ connect: { lookup: lookup as never } })
const sendHere = sentAgain(
  async (input, init) =>
    (await undiciFetch(input as never, { ...(init as object), dispatcher })) as unknown as Response,
)
const fetchHere: typeof fetch = async (input, init = {}) =>
  sendHere(input, init.body instanceof FormData ? await written(init, init.body) : init)
/** A form of Node's own is none of the `undici` that is installed. */
async function written(init: RequestInit, form: FormData): Promise<RequestInit> {
  const body = new Response(form)
  const headers = new Headers(init.headers)
  headers.set('content-type', body.headers.get('content-type')!)
  return { ...init, body: await body.bytes(), headers: Object.fromEntries(headers) }
}
class SocketHere extends WebSocket {
  constructor(address: string | URL, protocols?: string | string[]) {
    super(address, protocols, { lookup: lookup as never })
  }
}

let names = 0

interface Options {
  plan?: Plan
  config?: string
  /** Addresses are confirmed before anybody is signed in. */
  mailbox?: Mailbox
}

export async function bootApp({ plan = 'starter', config = '', mailbox }: Options = {}): Promise<AppWorld> {
  const given = `${plan === 'dedicated' ? dedicatedConfig : ''}${mailbox?.config ?? ''}${config}`
  const world = await boot(given === '' ? {} : { config: given })
  const cloud = await (plan === 'starter' ? world.cloud() : world.dedicatedCloud())
  const serviceKey = await cloud.serviceKey()
  await world.app.clouds.refresh({ accountId: world.account, cloudId: cloud.id })
  await cloud.changeAuth({ anonymous_sign_ins: true })
  const of = (url: string): App => appOf(url, { world, cloud, serviceKey, plan, mailbox })
  return {
    ...{ world, cloud, serviceKey, apps: { path: of(cloud.pathUrl), host: of(cloud.url) } },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

interface AppParts {
  world: World
  cloud: TestCloud
  serviceKey: string
  plan: Plan
  mailbox: Mailbox | undefined
}

function appOf(url: string, { world, cloud, serviceKey, plan, mailbox }: AppParts): App {
  const client: App['client'] = (key = cloud.publicKey, flowType = 'implicit') => {
    const made = createClient(url, key, {
      global: { fetch: fetchHere },
      // By itself a client without channels leaves after two heartbeats.
      realtime: { transport: SocketHere as never, disconnectOnEmptyChannelsAfterMs: 200 },
      auth: signedOut(flowType),
    })
    watch(made)
    return made
  }
  return {
    ...{ url, client, fetch: fetchHere, service: () => client(serviceKey), says: sentences() },
    person: () => signedUp(client()),
    collection: () => (plan === 'starter' ? newCollection(cloud) : newTable(world, cloud)),
    bucket: () => newBucket(world, cloud),
    async deploy(name, code) {
      const reply = await send(cloud, name, code, { verify_jwt: true })
      expect(reply.status, reply.text).toBeLessThan(300)
    },
    newestMail: (address) => mailbox!.newest(address),
    press: (link) => press(link, world),
  }
}

async function newCollection(cloud: TestCloud): Promise<string> {
  const name = `rows_${++names}`
  const path = `/v1/cloud/${cloud.id}/database`
  const made = await cloud.client.post(path, { action: 'create_collection', name, public_read: true })
  expect(made.status, made.text).toBeLessThan(300)
  return name
}

/** A table with the columns that these tests give to rows, and the rights of a collection as policies. */
async function newTable(world: World, cloud: TestCloud): Promise<string> {
  const name = `rows_${++names}`
  await runSql(
    world,
    cloud,
    `
      create table ${name} (id uuid primary key default gen_random_uuid(), owner_id uuid default auth.uid(), name text, age int,
        tags text[], span int4range, text text, done boolean, none int, more int);
      alter table ${name} enable row level security;
      create policy "everybody reads" on ${name} for select using (true);
      create policy "owners write" on ${name} for all to authenticated using ((select auth.uid()) = owner_id);`,
  )
  return name
}

async function newBucket(world: World, cloud: TestCloud): Promise<string> {
  const name = `bucket-${++names}`
  await runSql(
    world,
    cloud,
    `
      insert into storage.buckets (id, name, public) values ('${name}', '${name}', false);
      create policy "${name}" on storage.objects for all to authenticated using (bucket_id = '${name}') with check (bucket_id = '${name}');`,
  )
  return name
}

/** As the developer of the app. */
export async function runSql({ app }: World, { ref }: TestCloud, script: string): Promise<void> {
  const live = (await app.clouds.find(ref))!
  await app.databases.use(live, (open) => open.pool('postgres').query(script))
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
