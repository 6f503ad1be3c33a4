/** An operator's site: a database of its own, a fake upstream, and real server processes over both, to race and to kill. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createAccount, createKey, createProject, scopes } from '#platform/auth'
import { type Db, openDb } from '#platform/db'
import { uuidv7 } from '#platform/ids'
import { type Caps, grant } from '#platform/ledger'
import { wrongCharges } from '../harness/charge-lines.ts'
import { Client, type Seen } from '../harness/client.ts'
import { patient, upstreamConfig } from '../harness/config-text.ts'
import { endDatabases } from '../harness/end-databases.ts'
import { cloneDatabase } from '../harness/postgres.ts'
import { type ServerProcess, startProcess } from '../harness/processes.ts'
import { endLeases, passTime } from '../harness/time.ts'
import { until } from '../harness/until.ts'
import { type FakeUpstream, fakeUpstream } from '../harness/upstream.ts'

export interface Person {
  account: string
  project: string
  keyId: string
  secret: string
}

/** Pictures and sound of the same upstream, by wires of their own. */
const mediaProvider = (url: string) => `${patient}
  - id: media
    base_url: ${url}
    dialects: [images, speech, transcriptions]
${patient}`
/** Vectors at half a USD a million tokens, pictures at 4 cents, speech at 15 USD a million characters, transcripts at a cent for ten seconds. */
const mediaModels = `  - id: test/near
    kind: embedding
    deployments: [{ provider: fake, model: near-1 }]
    max_input_tokens: 8192
    pricing: { input_per_million: 0.5 }
  - id: test/painter
    kind: image
    deployments: [{ provider: media, model: painter-1 }]
    image: { sizes: [64x64] }
    pricing: { per_image: 0.04 }
  - id: test/voice
    kind: audio
    deployments: [{ provider: media, model: voice-1 }]
    audio: { voices: [{ id: alloy }, { id: nova }], formats: [wav] }
    pricing: { per_million_characters: 15 }
  - id: test/scribe
    kind: transcription
    deployments: [{ provider: media, model: scribe-1 }]
    transcription: { max_seconds: 10 }
    pricing: { per_minute: 0.06 }`

export interface SentRequest {
  /** Resolves when it is over, in any way. */
  over: Promise<void>
  /** Waits as `until`, and throws where the request was refused. */
  until<T>(condition: () => T | Promise<T>): Promise<NonNullable<T>>
}

/** The longest there is: nobody is taken for dead because the machine stood still, and whoever was killed is when a test says so (`endLeases`). */
export const stillLeaseMs = 600_000
/** For a test that starts several processes, one after another, on a machine that runs other tests beside. */
export const severalStartsMs = 400_000

export class Site implements AsyncDisposable {
  readonly db: Db
  readonly databaseUrl: string
  readonly upstream: FakeUpstream
  /** Of all its servers: stored files are theirs together. */
  readonly dataDir: string
  /** Those that were started since `killAll`. */
  #started: ServerProcess[] = []
  readonly #starting = new Set<Promise<ServerProcess>>()
  readonly #settings: string
  readonly #leaseMs: number
  readonly #stack: AsyncDisposableStack
  readonly #lasting: Promise<ServerProcess>[] = []

  constructor(
    parts: {
      db: Db
      databaseUrl: string
      upstream: FakeUpstream
      dataDir: string
      settings: string
      leaseMs: number
    },
    stack: AsyncDisposableStack,
  ) {
    this.db = parts.db
    this.databaseUrl = parts.databaseUrl
    this.upstream = parts.upstream
    this.dataDir = parts.dataDir
    this.#settings = parts.settings
    this.#leaseMs = parts.leaseMs
    this.#stack = stack
  }

  /** A server process of this site; through another address of the database when one is given. */
  async start(
    databaseUrl: string = this.databaseUrl,
    env: Record<string, string> = {},
    entry?: string,
  ): Promise<ServerProcess> {
    const starting = startProcess({
      databaseUrl,
      config: upstreamConfig(this.upstream.url, {
        provider: mediaProvider(this.upstream.url),
        model: mediaModels,
        rest: this.#settings,
      }),
      env: {
        KHERAD_LOG_LEVEL: 'warn',
        KHERAD_LEASE_MS: String(this.#leaseMs),
        KHERAD_DATA: this.dataDir,
        ...env,
      },
      ...(entry !== undefined && { entry }),
    })
    return this.adopt(starting)
  }

  /** A server of this site that a test starts itself. */
  async adopt(starting: Promise<ServerProcess>): Promise<ServerProcess> {
    this.#starting.add(starting)
    try {
      const server = this.#stack.use(await starting)
      this.#started.push(server)
      return server
    } finally {
      this.#starting.delete(starting)
    }
  }

  /** The server that was started last. */
  get newest(): ServerProcess {
    return this.#started.at(-1)!
  }

  /** All servers: any of them would take the work of the next test. */
  async killAll(): Promise<void> {
    for (const server of this.#started.splice(0)) await server.kill()
  }

  /**
   * The leases of all that were killed are over, and of those that are stopped (SIGSTOP); what they had begun is swept by those that live. Resolves
   * when it is.
   */
  async endLeases(...stopped: readonly ServerProcess[]): Promise<void> {
    await Promise.allSettled(this.#starting)
    const living = this.#living().filter((server) => !stopped.includes(server))
    await endLeases(this.databaseUrl, living, this.#leaseMs)
  }

  /** Resolves when nothing of this person is held any more, by the living nor by the dead. */
  over(person: Person): Promise<void> {
    return this.#swept(async () => (await this.balances(person)).held === 0n)
  }

  /** What PostgreSQL was doing for a process that was killed may come to an end after a sweep: it is looked again, and swept again. */
  async #swept(isOver: () => Promise<boolean>): Promise<void> {
    await until(async () => {
      if (await isOver()) return true
      if (this.#living().length > 0) await this.endLeases()
      return isOver()
    })
  }

  /** Another server, to which falls at once what those had begun that were killed; as `start`. */
  async successor(...of: Parameters<Site['start']>): Promise<ServerProcess> {
    const server = await this.start(...of)
    await this.endLeases()
    return server
  }

  /** Lets time pass for the database and all servers. */
  passTime(ms: number): Promise<void> {
    return passTime(this.databaseUrl, this.#living(), { ms, stepMs: this.#leaseMs / 4 })
  }

  #living(): ServerProcess[] {
    return this.#started.filter(({ isAlive }) => isAlive)
  }

  /**
   * A server that no test kills, started by the first who asks for it: it does what those that were killed have left. Tests that share a site
   * share it too, where it counts that another process does so and not that it has just started; with `at` there are several.
   */
  lasting(at = 0): Promise<ServerProcess> {
    this.#lasting[at] ??= this.start()
    return this.#lasting[at]
  }

  /** Somebody with an account, a project and a key. Credits and caps in micro-credits. */
  async person(ask: { credits?: bigint; account?: Caps; project?: Caps; key?: Caps } = {}): Promise<Person> {
    const now = new Date()
    return this.db.tx(async (tx) => {
      const account = await createAccount(
        tx,
        { name: 'test', ...(ask.account && { caps: ask.account }) },
        now,
      )
      const accountId = account.account_id
      const project = await createProject(
        tx,
        { accountId, name: 'test', ...(ask.project && { caps: ask.project }) },
        now,
      )
      const projectId = project.project_id
      const key = await createKey(
        tx,
        { accountId, projectId, name: 'test', scopes, ...(ask.key && { caps: ask.key }) },
        now,
      )
      await grant(
        tx,
        { accountId, transferId: uuidv7(), microcredits: ask.credits ?? 1_000_000_000n, reason: 'test' },
        now,
      )
      return { account: accountId, project: projectId, keyId: key.key_id, secret: key.secret }
    })
  }

  client(server: { url: string }, person: Person): Client {
    return new Client(server.url, person.secret, person.keyId)
  }

  /** Sends a request as official clients do: again where the database stood still, so that nothing was done. */
  async post(client: Client, path: string, body: unknown, headers: Record<string, string>): Promise<Seen> {
    return until(async () => {
      const reply = await client.post(path, body, headers)
      return reply.body?.error?.code === 'SERVICE_UNAVAILABLE' ? undefined : reply
    })
  }

  /** Sends a request whose answer nobody waits for: why there is none is an error of `until`, and none where the server was killed meanwhile. */
  sent(client: Client, path: string, body: unknown, headers: Record<string, string>): SentRequest {
    let refusal: string | undefined
    const over = this.post(client, path, body, headers).then(
      ({ status, text }) => {
        if (status !== 200) refusal = `${status} ${text}`
      },
      () => undefined,
    )
    return {
      over,
      until: (condition) =>
        until(async () => {
          if (refusal !== undefined) throw new Error(`the request was refused: ${refusal}`)
          return condition()
        }),
    }
  }

  /** Balance and holds of an account, in micro-credits. */
  async balances({ account }: Person): Promise<{ balance: bigint; held: bigint }> {
    const [row] = await this.db.query<{ balance: bigint; held: bigint }>(
      { text: 'select balance, held from ledger.balances where account_id = $1' },
      [account],
    )
    assert(row)
    return row
  }

  /** The receipts of an account, oldest first. */
  receipts({ account }: Person): Promise<ReceiptRow[]> {
    return this.db.query(
      {
        text: `select receipt_id, state, ambiguous, claiming, status_code, held, charged, detail from ledger.receipts
          where account_id = $1 order by created_at, receipt_id`,
      },
      [account],
    )
  }

  /** Takes the lock of an account's money, or of its holds, so that every hold and settlement of it, or every change of one, waits until this is disposed. */
  lock({ account }: Person, table: 'balances' | 'holds' = 'balances'): Promise<AsyncDisposable> {
    // The id stands in the text, so that `waiting` knows whose lock it is.
    return this.holding(`select from ledger.${table} where account_id = '${account}' for update`)
  }

  /** Keeps the locks of a statement until this is disposed: what needs the same rows waits in the middle of its work. */
  async holding(statement: string): Promise<AsyncDisposable> {
    const client = await this.db.pool.connect()
    await client.query('begin')
    // Servers take their time to start on a busy machine.
    await client.query('set local idle_in_transaction_session_timeout = 0')
    await client.query(statement)
    return {
      async [Symbol.asyncDispose]() {
        await client.query('rollback')
        client.release()
      },
    }
  }

  /** Whether a statement with these words waits for a lock. */
  async isWaiting(words: string): Promise<boolean> {
    const text = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like $1`
    return (await this.db.query({ text }, [`%${words}%`])).length > 0
  }

  /** Resolves when a statement with these words waits for a lock. */
  waitsFor(words: string): Promise<unknown> {
    return until(() => this.isWaiting(words))
  }

  /** The connections of a process that was killed go when PostgreSQL notices; those that wait for a lock do not. */
  async endWaiting(): Promise<void> {
    const text = `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await this.db.query({ text }, [])
  }

  /** Resolves when a statement of the ledger waits for the lock of this account; answers its backend. */
  waiting(person: Person): Promise<number> {
    return this.#blocked(person, 'ledger.commit')
  }

  /** Resolves when a settlement in one transaction with what was stored waits so, with all else written; answers its backend. */
  settling(person: Person): Promise<number> {
    return this.#blocked(person, 'settle_in')
  }

  /** Resolves when a hold of this account waits for its row to be renewed, between two calls that it pays; answers its backend. */
  renewing(person: Person): Promise<number> {
    return this.#blocked(person, 'update ledger.holds set expires_at')
  }

  async #blocked({ account }: Person, statement: string): Promise<number> {
    const { pid } = await until(async () => {
      const [row] = await this.db.query<{ pid: number }>(
        {
          text: `select a.pid from pg_stat_activity a, unnest(pg_blocking_pids(a.pid)) blocker
            join pg_stat_activity b on b.pid = blocker
            where a.datname = current_database() and a.query like '%' || $2 || '%' and b.query like '%' || $1 || '%'`,
        },
        [account, statement],
      )
      return row
    })
    return pid
  }

  async terminate(pid: number): Promise<void> {
    await this.db.query({ text: 'select pg_terminate_backend($1, 5000)' }, [pid])
  }

  /** Resolves when nothing is held any more, by the living nor by the dead; then every invariant must hold. */
  async healed(): Promise<void> {
    await this.#swept(
      async () => (await this.db.query({ text: 'select from ledger.holds limit 1' }, [])).length === 0,
    )
    assert.deepEqual(await this.violations(), [])
  }

  /** Broken invariants of the ledger, and charges that their lines do not explain. */
  async violations(): Promise<unknown[]> {
    const { wrong } = await wrongCharges(this.db)
    return [...(await this.db.query({ text: 'select * from ledger.violations' }, [])), ...wrong]
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync()
  }
}

export interface ReceiptRow {
  receipt_id: string
  state: string
  ambiguous: boolean
  claiming: boolean
  status_code: number | null
  held: bigint
  charged: bigint
  detail: Record<string, unknown> | null
}

export interface SiteOptions {
  /** Further sections of the configuration file. */
  settings?: string
  /** Of a test that is about the real clock; the longest when absent. */
  leaseMs?: number
}

export async function openSite({ settings = '', leaseMs = stillLeaseMs }: SiteOptions = {}): Promise<Site> {
  await using stack = new AsyncDisposableStack()
  const { url: databaseUrl } = stack.use(await cloneDatabase())
  const db = stack.use(await openDb({ url: databaseUrl, connectMs: 60_000 }))
  const upstream = stack.use(await fakeUpstream())
  const dataDir = await mkdtemp(path.join(tmpdir(), 'kherad-site-'))
  stack.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }))
  stack.defer(() => endDatabases(path.join(dataDir, 'databases')))
  return new Site({ db, databaseUrl, upstream, dataDir, settings, leaseMs }, stack.move())
}
