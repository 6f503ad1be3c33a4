/**
 * A world for a test: a real server on a new database, with an account, a project and a key. Disposing it checks the invariants of the
 * ledger.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { App } from '#app'
import { givePackage } from '#cloud/clouds'
import type { HostHandler } from '#platform/apps'
import { createAccount, createKey, createProject, type Scope, scopes } from '#platform/auth'
import type { Clock } from '#platform/clock'
import { type Config, readEnv } from '#platform/config'
import { uuidv7 } from '#platform/ids'
import { type Caps, grant } from '#platform/ledger'
import type { Log } from '#platform/log'
import type { GuardedNet } from '#platform/net'
import { loadConfig } from '#settings'
import type { Pipelines } from '#work/pipelines'
import { type Kherad, startKherad } from '../../src/server.ts'
import { wrongCharges } from './charge-lines.ts'
import { Client, type Seen } from './client.ts'
import { endDatabases } from './end-databases.ts'
import { expectNone } from './expect-none.ts'
import { cloneDatabase } from './postgres.ts'
import { startMs, until } from './until.ts'

export interface WorldOptions {
  /** Additional environment variables. */
  env?: Record<string, string>
  /** The text of kherad.config.yaml; without it there are only sandbox models. */
  config?: string
  /** Credits of the account, as an integer; 1,000 when absent. */
  credits?: number
  clock?: Clock
  /** A guarded client that may connect to the test's own servers. */
  net?: GuardedNet
  /** Scripted pipelines of durable work. */
  pipelines?: Pipelines
  timing?: Partial<Config['timing']>
  /** All roles when absent. */
  roles?: Config['roles']
  /** Who else answers on the second listener. */
  hostHandlers?: (app: App) => HostHandler[]
}

export interface KeyOptions {
  scopes?: readonly Scope[]
  models?: readonly string[]
  caps?: Caps
  expiresAt?: Date
  project?: string
  responsesMaxOutputTokens?: number
}

/** A cloud as its developer and its app know it. */
export interface TestCloud {
  id: string
  ref: string
  /** With its own host; where there is no domain, `<ref>.localhost`. */
  url: string
  /** The same cloud by a path of the second listener, for clients that know no such host. */
  pathUrl: string
  publicKey: string
  /** A key of the project that it belongs to. */
  client: Client
  /** A new one; those before it are accepted no more. */
  serviceKey(): Promise<string>
  /** Changes how its users sign in. */
  changeAuth(settings: Record<string, unknown>): Promise<void>
}

/** A clock that stands still until a test moves it. */
export class MovableClock implements Clock {
  #nowMs: number
  constructor(nowMs = Date.now()) {
    this.#nowMs = nowMs
  }
  nowMs(): number {
    return this.#nowMs
  }
  moveMs(byMs: number): void {
    this.#nowMs += byMs
  }
}

export class World implements AsyncDisposable {
  readonly kherad: Kherad
  readonly account: string
  readonly project: string
  readonly violations: string[]
  readonly #stack: AsyncDisposableStack

  constructor(
    kherad: Kherad,
    ids: { account: string; project: string },
    violations: string[],
    stack: AsyncDisposableStack,
  ) {
    this.kherad = kherad
    this.account = ids.account
    this.project = ids.project
    this.violations = violations
    this.#stack = stack
  }

  get url(): string {
    return this.kherad.server.url
  }
  /** Where the second listener listens. */
  get appsUrl(): string {
    return this.kherad.apps!.url
  }
  get app() {
    return this.kherad.app
  }

  /** A new key of the world's project, as a client that speaks HTTP. */
  async key(options: KeyOptions = {}): Promise<Client> {
    const now = new Date(this.app.clock.nowMs())
    const made = await this.app.db.tx((tx) =>
      createKey(
        tx,
        {
          accountId: this.account,
          projectId: options.project ?? this.project,
          name: 'test',
          scopes: options.scopes ?? scopes,
          models: options.models,
          expiresAt: options.expiresAt,
          responsesMaxOutputTokens: options.responsesMaxOutputTokens,
          ...(options.caps && { caps: options.caps }),
        },
        now,
      ),
    )
    return new Client(this.url, made.secret, made.key_id)
  }

  /** Another account with a project and a key, to prove that resources of others look missing. */
  async stranger(credits = 1_000): Promise<{ account: string; project: string; client: Client }> {
    const ids = await makePeople(this.kherad, credits)
    const now = new Date(this.app.clock.nowMs())
    const made = await this.app.db.tx((tx) =>
      createKey(tx, { accountId: ids.account, projectId: ids.project, name: 'stranger', scopes }, now),
    )
    return { ...ids, client: new Client(this.url, made.secret, made.key_id) }
  }

  /** A new Starter cloud of the world's project, created over HTTP as everybody does. */
  async cloud(name = 'test', owner?: Client): Promise<TestCloud> {
    const client = owner ?? (await this.key())
    const made = await client.post('/v1/cloud', { name, plan: 'starter' })
    assert.equal(made.status, 201, made.text)
    return this.#testCloud(client, made.body)
  }

  /** One with a database of its own, on a package that the account is given for it: the world has `dedicatedConfig`. */
  async dedicatedCloud(name = 'test', owner?: Client): Promise<TestCloud> {
    const client = owner ?? (await this.key())
    const given = { accountId: this.account, packageId: undefined, offer: 'small', paidUntil: null }
    await givePackage(this.app, given)
    const made = await createDedicated(client, name)
    assert.equal(made.status, 202, made.text)
    const path = `/v1/cloud/${made.body.id}`
    // A refusal of a machine that is busy with it is no status.
    const body = await until(async () => {
      const seen = await client.get(path)
      return seen.status === 200 && seen.body.status !== 'provisioning' ? seen.body : undefined
    }, startMs)
    assert.equal(body.status, 'ready', body.error?.message)
    return this.#testCloud(client, body)
  }

  async #testCloud(
    client: Client,
    { id, ref, cloud_url: url }: { id: string; ref: string; cloud_url: string },
  ): Promise<TestCloud> {
    const { body } = await client.get(`/v1/cloud/${id}/connection`)
    return {
      ...{ id, ref, url, client },
      pathUrl: `${this.appsUrl}/_cloud/${ref}`,
      publicKey: body.public_key,
      async serviceKey() {
        const key = await client.post(`/v1/cloud/${id}/keys`, { kind: 'service' })
        assert.equal(key.status, 201, key.text)
        return key.body.secret
      },
      async changeAuth(settings) {
        const body = JSON.stringify({ site_url: 'https://app.example.org/', ...settings })
        const changed = await client.request('PATCH', `/v1/cloud/${id}/auth`, body)
        assert.equal(changed.status, 200, changed.text)
      },
    }
  }

  /** The same of a project of its own, since a project has three. */
  async newCloud(name = 'test'): Promise<TestCloud> {
    return this.cloud(name, await this.key({ project: await this.newProject() }))
  }

  async newProject(caps: Caps = {}): Promise<string> {
    const now = new Date(this.app.clock.nowMs())
    const project = await this.app.db.tx((tx) =>
      createProject(tx, { accountId: this.account, name: 'another', caps }, now),
    )
    return project.project_id
  }

  /** In micro-credits: the free balance and the sum of holds. */
  async balance(): Promise<{ available: bigint; held: bigint }> {
    const { balance, held } = await this.app.ledger.balance(this.account)
    return { available: balance - held, held }
  }

  /** Resolves when every hold of this world has ended. */
  async settled(): Promise<void> {
    await until(
      async () => (await this.app.db.query({ text: 'select 1 from ledger.holds limit 1' }, [])).length === 0,
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await using _stack = this.#stack
    await this.settled()
    expectNone(await this.app.ledger.violations(), 'the ledger keeps its invariants')
    const { wrong } = await wrongCharges(this.app.db)
    expectNone(wrong, 'the lines of every receipt sum to its charge')
    expectNone(this.violations, 'every answer is as its route declares it')
  }
}

/** Sent again where the test of the jail did not end as it should, as happens on a busy machine; it is done again by itself. */
export const createDedicated = (client: Client, name: string): Promise<Seen> =>
  until(async () => {
    const made = await client.post('/v1/cloud', { name, plan: 'dedicated' })
    return made.body?.error?.code === 'DATABASES_UNAVAILABLE' ? undefined : made
  })

/** A new account with so many credits, and a project. */
export async function makePeople(
  kherad: Kherad,
  credits: number,
): Promise<{ account: string; project: string }> {
  const now = new Date(kherad.app.clock.nowMs())
  return kherad.app.db.tx(async (tx) => {
    const account = await createAccount(tx, { name: 'test' }, now)
    const project = await createProject(tx, { accountId: account.account_id, name: 'test' }, now)
    const microcredits = BigInt(Math.round(credits * 1e6))
    if (microcredits > 0n)
      await grant(
        tx,
        { accountId: account.account_id, transferId: uuidv7(), microcredits, reason: 'test' },
        now,
      )
    return { account: account.account_id, project: project.project_id }
  })
}

export const silent: Log = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} }

/** A machine that stands still for some seconds refuses no request and drops no client: only tests of that refusal wait less. */
export const patience = { databaseWaitMs: 60_000, webrtcConnectMs: 60_000 }

/** Boots a server in this process. `await using world = await boot()`. */
export async function boot(options: WorldOptions = {}): Promise<World> {
  await using stack = new AsyncDisposableStack()
  const database = stack.use(await cloneDatabase())
  const folder = await mkdtemp(path.join(tmpdir(), 'kherad-world-'))
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  stack.defer(() => endDatabases(path.join(folder, 'databases')))
  const env = readEnv({
    KHERAD_PORT: '0',
    KHERAD_DATA: folder,
    DATABASE_URL: database.url,
    OLLAMA_HOST: '',
    ...quietEnvironment,
    ...options.env,
  })
  const read = loadConfig(env, options.config)
  const timing = { ...read.timing, ...patience, ...options.timing }
  const config: Config = { ...read, timing, roles: options.roles ?? read.roles }
  const violations: string[] = []
  const kherad = stack.use(
    await startKherad({
      config,
      log: silent,
      ...(options.clock && { clock: options.clock }),
      ...(options.net && { net: options.net }),
      ...(options.pipelines && { pipelines: options.pipelines }),
      ...(options.hostHandlers && { hostHandlers: options.hostHandlers }),
      onViolation: ({ operation, what }) => violations.push(`${operation}: ${what}`),
    }),
  )
  const ids = await makePeople(kherad, options.credits ?? 1_000)
  return new World(kherad, ids, violations, stack.move())
}

/** Variables that a test's server must not pick up from a developer's machine. */
export const quietEnvironment = { KHERAD_LOG_LEVEL: 'silent' }

/** What can be given to accounts that are to have dedicated clouds. */
export const packagesConfig = `
clouds:
  packages:
    - id: small
      name: { fa: کوچک, en: Small }
`
/** For dedicated clouds. No backup is made by itself, which a test between one and five o'clock in Tehran might come upon. */
export const dedicatedConfig = `${packagesConfig}backups:
  nightly: false
`

export { upstreamConfig } from './config-text.ts'
