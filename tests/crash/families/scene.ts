/** One site on which something of every family of durable things is under way in one server process, which is then killed. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openReceiver, type Receiver, tls } from '../../account/webhooks-world.ts'
import type { Client } from '../../harness/client.ts'
import { freePort } from '../../harness/free-port.ts'
import { type ServerProcess, startProcess } from '../../harness/processes.ts'
import { until } from '../../harness/until.ts'
import { answer, type Script, silence, type UpstreamCall } from '../../harness/upstream.ts'
import { fakeVideoUpstream, type VideoUpstream } from '../../harness/video-upstream.ts'
import { openSite, type Person, type Site } from '../site.ts'
import { configuration } from './configuration.ts'

/** Of each account, in micro-credits. */
export const credits = 1_000_000_000n
/** Every request is sent with it, and once more with the same after the kill. */
export const once = { 'idempotency-key': 'once' }
export const never = new Promise<never>(() => undefined)

/** Longer than a busy machine keeps a living process waiting. */
const leaseMs = 4_000

/** A kind of thing that goes on, or ends in a known way, when its process dies. */
export interface Family {
  name: string
  /** Why it cannot be brought under way on this machine; undefined: it can. */
  unavailable?: () => Promise<string | undefined>
  /** Brings one thing of it under way with the first server. */
  begin(at: Place): Promise<UnderWay>
}

export interface UnderWay {
  /** Asserts with the second server how it ended, and that a repeat with its key has no second effect. */
  ends(): Promise<Ended>
}

/** In micro-credits, counted by the test from the prices and from what the upstream did, not read from the receipts of the end. */
export interface Ended {
  /** What the account pays. */
  charged: bigint
  /** What the platform loses. */
  lost: bigint
}

export class Scene implements AsyncDisposable {
  readonly site: Site
  readonly films: VideoUpstream
  readonly receiver: Receiver
  isKilled = false
  /** Of the first server, in the books. */
  #dead: string[] = []
  readonly #places: Place[] = []
  readonly #locks: AsyncDisposable[] = []
  readonly #servers: ServerProcess[] = []
  /** The environment of both servers: the second comes in the place of the first, under its addresses. */
  readonly #env: Record<string, string>
  readonly #stack: AsyncDisposableStack

  private constructor(
    { site, films, receiver }: Pick<Scene, 'site' | 'films' | 'receiver'>,
    env: Record<string, string>,
    stack: AsyncDisposableStack,
  ) {
    this.site = site
    this.films = films
    this.receiver = receiver
    this.#env = env
    this.#stack = stack
    site.upstream.reply((call) => this.#answer(call))
  }

  static async open(): Promise<Scene> {
    await using stack = new AsyncDisposableStack()
    const site = stack.use(await openSite({ leaseMs }))
    const films = stack.use(await fakeVideoUpstream('openrouter'))
    const receiver = stack.use(await openReceiver({ host: 'localhost', address: '127.0.0.1' }))
    const folder = await mkdtemp(path.join(tmpdir(), 'kherad-ca-'))
    stack.defer(() => rm(folder, { recursive: true }))
    const certificate = path.join(folder, 'ca.pem')
    await writeFile(certificate, tls.cert)
    const env = {
      KHERAD_LOG_LEVEL: 'warn',
      KHERAD_LEASE_MS: String(leaseMs),
      KHERAD_DATA: site.dataDir,
      KHERAD_PORT: String(await freePort()),
      KHERAD_APPS_PORT: String(await freePort()),
      NODE_EXTRA_CA_CERTS: certificate,
    }
    return new Scene({ site, films, receiver }, env, stack.move())
  }

  get server(): ServerProcess {
    return this.#servers.at(-1)!
  }

  async start(): Promise<void> {
    const server = await startProcess({
      databaseUrl: this.site.databaseUrl,
      config: configuration(this.site.upstream.url, this.films.url),
      env: this.#env,
    })
    this.#servers.push(this.#stack.use(server))
  }

  /** A family gets an account of its own, by which its calls are known upstream. */
  async place(): Promise<Place> {
    const place = new Place(this, await this.site.person({ credits }))
    this.#places.push(place)
    return place
  }

  /** Of the database, in which something is kept under way until the kill. */
  keep(lock: AsyncDisposable): void {
    this.#locks.push(lock)
  }

  /** kill -9 of the first server. What waits for a lock in the database ends with its client; all upstreams answer from then on. */
  async kill(): Promise<void> {
    const { db, upstream } = this.site
    const text = 'select process_id from ledger.processes'
    const processes = await db.query<{ process_id: string }>({ text }, [])
    this.#dead = processes.map(({ process_id }) => process_id)
    const givenUp = upstream.calls.filter(({ aborted }) => aborted)
    assert.deepEqual(givenUp, [], 'a call was given up before the kill')
    await this.server.kill()
    this.isKilled = true
    await this.site.endWaiting()
    await this.#unlock()
  }

  async #unlock(): Promise<void> {
    for (const lock of this.#locks.splice(0)) await lock[Symbol.asyncDispose]()
  }

  /**
   * Resolves when the second server has taken over the calls and jobs of the killed one: its lease ran out, and was swept. Webhooks it takes
   * over when they are due. The one place where this test waits for a death.
   */
  async takenOver(): Promise<void> {
    const text = `select 'a hold' as what, receipt_id::text as id from ledger.holds where process_id = any($1)
      union all select name, job_id::text from jobs.queue where process_id = any($1)`
    const left = () => this.site.db.query({ text }, [this.#dead])
    const isOver = until(async () => (await left()).length === 0)
    await isOver.catch(async () => assert.deepEqual(await left(), [], 'the killed process has still'))
  }

  /** Calls that came of no family: there are none. */
  unknownCalls(): UpstreamCall[] {
    return this.site.upstream.calls.filter((call) => !this.#places.some((place) => place.isOf(call)))
  }

  #answer(call: UpstreamCall): Script {
    const place = this.#places.find((one) => one.isOf(call))
    if (!place) return answer()
    return !this.isKilled && place.hangs(call) ? place.hanging : place.answers(call)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#unlock()
    await this.#stack.disposeAsync()
  }
}

/** What a family has of the scene. */
export class Place {
  readonly scene: Scene
  readonly site: Site
  readonly person: Person
  /** One of them stands in the body of each of its calls upstream. */
  readonly marks: (string | Buffer)[]
  /** Calls that stay unanswered until the kill; all, where nothing else is said. */
  hangs: (call: UpstreamCall) => boolean = () => true
  /** What they get of an answer. */
  hanging: Script = silence
  answers: (call: UpstreamCall) => Script = () => answer()

  constructor(scene: Scene, person: Person) {
    this.scene = scene
    this.site = scene.site
    this.person = person
    this.marks = [person.account]
  }

  /** Of the server that runs. */
  get client(): Client {
    return this.site.client(this.scene.server, this.person)
  }

  isOf = ({ bytes }: UpstreamCall): boolean => this.marks.some((mark) => bytes.includes(mark))

  /** Its calls upstream, in order. */
  get calls(): UpstreamCall[] {
    return this.site.upstream.calls.filter(this.isOf)
  }

  async held(): Promise<bigint> {
    return (await this.site.balances(this.person)).held
  }

  /** Keeps the locks of a statement until the kill: what needs the same rows waits in the middle of its work. */
  async lock(statement: string): Promise<void> {
    this.scene.keep(await this.site.holding(statement))
  }

  query<Row = Record<string, unknown>>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.site.db.query<Row>({ text }, [...values])
  }
}
