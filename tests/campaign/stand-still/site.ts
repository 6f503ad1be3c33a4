/**
 * A site whose every part can be stopped alone: server processes, a PostgreSQL of its own, and an upstream that is a process. Timeouts of
 * upstreams are those of the product: whoever wakes after twenty seconds finds some of them over.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import sharp from 'sharp'
import { createAccount, createKey, createProject, scopes } from '#platform/auth'
import { type Db, openDb } from '#platform/db'
import { uuidv7 } from '#platform/ids'
import { grant } from '#platform/ledger'
import { openReceiver, type Receiver, tls } from '../../account/webhooks-world.ts'
import { Client } from '../../harness/client.ts'
import { upstreamConfig } from '../../harness/config-text.ts'
import { startTestPostgres, type TestPostgres, withDatabase } from '../../harness/postgres.ts'
import { type ServerProcess, startProcess } from '../../harness/processes.ts'
import { parentOf, treeOf } from './stop.ts'

/** Shorter than two of the three stand-stills: others take over what a process has that stands still for so long. */
export const leaseMs = 4_000
export const credits = 1_000_000_000_000n

export interface Person {
  account: string
  project: string
  keyId: string
  secret: string
}

export interface Site extends AsyncDisposable {
  readonly db: Db
  readonly servers: readonly ServerProcess[]
  readonly receiver: Receiver
  person(): Promise<Person>
  client(server: Pick<ServerProcess, 'url'>, person: Person): Client
  /** How often the upstream was asked by which name. */
  asked(): Promise<Record<string, number>>
  readonly upstreamPid: number
  /** The postmaster and every process of it, those of other databases of the same server included. */
  postgresPids(): Promise<number[]>
}

/** PostgreSQL of a file: its sites are databases of it. */
export const openPostgres = (): Promise<TestPostgres & AsyncDisposable> => startTestPostgres(undefined)

/** With a server process of each name, by which PostgreSQL knows its connections. */
export async function openSite(
  { adminUrl, template }: TestPostgres,
  names: readonly string[],
): Promise<Site> {
  await using stack = new AsyncDisposableStack()
  const databaseUrl = await createDatabase(adminUrl, template)
  const db = stack.use(await openDb({ url: databaseUrl, connectMs: 60_000 }))
  const postmaster = await postmasterOf(db)
  const { url, child } = await startUpstream(stack)
  const receiver = stack.use(await openReceiver({ host: 'localhost', address: '127.0.0.1' }))
  const folder = await mkdtemp(path.join(tmpdir(), 'kherad-still-'))
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const ca = path.join(folder, 'ca.pem')
  await writeFile(ca, tls.cert)
  const servers = await Promise.all(
    names.map(async (name) =>
      stack.use(
        await startProcess({
          databaseUrl: `${databaseUrl}${databaseUrl.includes('?') ? '&' : '?'}application_name=${name}`,
          entry: 'tests/harness/work-main.ts',
          config: configOf(url),
          env: {
            KHERAD_LOG_LEVEL: 'warn',
            KHERAD_LEASE_MS: String(leaseMs),
            KHERAD_DATA: path.join(folder, 'data'),
            KHERAD_SECRET: 'one secret for every process of this site',
            NODE_EXTRA_CA_CERTS: ca,
          },
        }),
      ),
    ),
  )
  const opened = stack.move()
  return {
    db,
    servers,
    receiver,
    person: () => makePerson(db),
    client: (server, person) => new Client(server.url, person.secret, person.keyId),
    asked: async () => (await (await fetch(`${url}/asked`)).json()) as Record<string, number>,
    upstreamPid: child.pid!,
    postgresPids: () => treeOf(postmaster),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

const configOf = (url: string): string =>
  upstreamConfig(url, {
    provider: `  - id: media
    base_url: ${url}
    dialects: [images]`,
    model: `  - id: test/painter
    kind: image
    deployments: [{ provider: media, model: painter-1 }]
    image: { sizes: [64x64] }
    pricing: { per_image: 0.04 }`,
    rest: 'net: { allow_cidrs: [127.0.0.0/8, "::1/128"] }',
  })

async function createDatabase(adminUrl: string, template: string): Promise<string> {
  const name = `kherad_still_${randomBytes(6).toString('hex')}`
  const client = new pg.Client(adminUrl)
  await client.connect()
  try {
    await client.query(`create database ${name} template ${template} strategy file_copy`)
  } finally {
    await client.end()
  }
  return withDatabase(adminUrl, name)
}

async function postmasterOf(db: Db): Promise<number> {
  const [row] = await db.query<{ pid: number }>({ text: 'select pg_backend_pid() as pid' }, [])
  const postmaster = await parentOf(row!.pid)
  if (postmaster === undefined) throw new Error('PostgreSQL does not run on this machine')
  return postmaster
}

async function startUpstream(stack: AsyncDisposableStack): Promise<{ url: string; child: ChildProcess }> {
  const red = { create: { width: 64, height: 64, channels: 3, background: 'red' } } as const
  const picture = (await sharp(red).png().toBuffer()).toString('base64')
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'upstream-main.ts'), picture], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  stack.defer(async () => {
    child.kill('SIGKILL')
    await ended
  })
  for await (const url of createInterface(child.stdout!)) return { url, child }
  throw new Error('the upstream did not start')
}

function makePerson(db: Db): Promise<Person> {
  const now = new Date()
  return db.tx(async (tx) => {
    const { account_id: accountId } = await createAccount(tx, { name: 'test' }, now)
    const { project_id: projectId } = await createProject(tx, { accountId, name: 'test' }, now)
    const key = await createKey(tx, { accountId, projectId, name: 'test', scopes }, now)
    await grant(tx, { accountId, transferId: uuidv7(), microcredits: credits, reason: 'test' }, now)
    return { account: accountId, project: projectId, keyId: key.key_id, secret: key.secret }
  })
}
