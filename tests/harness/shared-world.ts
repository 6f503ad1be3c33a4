/**
 * A world for a test on the one server and database that all files of a worker process share. It has an account, a project and models of its
 * own. What changes the process (settings, limits, roles, the clock, timing, variables) needs a server of its own: `boot`.
 */
import assert from 'node:assert/strict'
import { mkdtemp } from 'node:fs/promises'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { inject } from 'vitest'
import { type Config, readEnv } from '#platform/config'
import type { GuardedNet } from '#platform/net'
import { openOutbound } from '#platform/proxy'
import { loadConfig } from '#settings'
import { openNet } from '../../src/connect.ts'
import { type Kherad, startKherad } from '../../src/server.ts'
import { wrongCharges } from './charge-lines.ts'
import { expectNone } from './expect-none.ts'
import { afterFile, afterTest, atWorkerEnd } from './file-checks.ts'
import { sharedDatabase } from './postgres.ts'
import { SharedModels } from './shared-models.ts'
import { until } from './until.ts'
import { makePeople, patience, quietEnvironment, silent, World, type WorldOptions } from './world.ts'

/**
 * What a world may have on a server that it shares; of the configuration the sections of providers, models and their defaults. One without a
 * configuration finds the models of the other open worlds, so it is another account for them; one with an empty text finds the sandbox first.
 */
export type SharedWorldOptions = Pick<WorldOptions, 'config' | 'credits' | 'net'>

/** `sharedWorld` or `boot`, for what opens a world on either. */
export type OpenWorld = (options: SharedWorldOptions) => Promise<World>

const known: ReadonlySet<string> = new Set<keyof SharedWorldOptions>(['config', 'credits', 'net'])

/** Opens a world on the shared server. `await using world = await sharedWorld()`. */
export async function sharedWorld(options: SharedWorldOptions = {}): Promise<World> {
  const others = Object.keys(options).filter((name) => !known.has(name))
  expectNone(others, 'these options change the server: boot one of its own')
  const shared = await theServer()
  await using stack = new AsyncDisposableStack()
  stack.use(shared.enter(options))
  const ids = await makePeople(shared.kherad, options.credits ?? 1_000)
  return shared.opened(new SharedWorld(shared, ids, stack.move()))
}

class SharedWorld extends World {
  readonly #shared: SharedServer
  readonly #open: AsyncDisposableStack
  readonly #accounts: string[]

  constructor(shared: SharedServer, ids: { account: string; project: string }, open: AsyncDisposableStack) {
    super(shared.kherad, ids, shared.violations, new AsyncDisposableStack())
    this.#shared = shared
    this.#open = open
    this.#accounts = [ids.account]
  }

  override async stranger(credits?: number) {
    const made = await super.stranger(credits)
    this.#accounts.push(made.account)
    return made
  }

  /** Resolves when every hold of this world's accounts has ended. */
  override settled(): Promise<void> {
    return this.#none('select 1 from ledger.holds where account_id = any($1) limit 1')
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.#shared.closed(this)
    await using _open = this.#open
    await this.settled()
    await this.#endJobs()
    this.#shared.expectDeclared()
  }

  /** Jobs that wait are not begun, as on a server that stops. Those that run end before their models go. */
  async #endJobs(): Promise<void> {
    const text = 'delete from jobs.queue where account_id = any($1) and process_id is null'
    await this.app.db.query({ text }, [this.#accounts])
    await this.#none('select 1 from jobs.queue where account_id = any($1) and process_id is not null limit 1')
  }

  async #none(text: string): Promise<void> {
    await until(async () => (await this.app.db.query({ text }, [this.#accounts])).length === 0)
  }
}

class SharedServer {
  readonly kherad: Kherad
  /** Answers that are not as their route declares them. */
  readonly violations: string[]
  readonly #parts: Parts
  readonly #worlds = new Set<World>()
  /** The transaction before which all charges have been held against their lines. */
  #explained: string | undefined

  constructor(kherad: Kherad, violations: string[], parts: Parts) {
    this.kherad = kherad
    this.violations = violations
    this.#parts = parts
  }

  /** Adds what the options bring, until the world ends. */
  enter({ config: text, net }: SharedWorldOptions): AsyncDisposable {
    const { env, models, nets } = this.#parts
    const entered = new AsyncDisposableStack()
    if (net) {
      assert.equal(nets.length, 1, 'another open world has a guarded client of its own: end it before')
      nets.unshift(net)
      entered.defer(() => void nets.splice(nets.indexOf(net), 1))
    }
    if (text !== undefined) {
      const config = loadConfig(env, text)
      refuseSettings(config, loadConfig(env))
      entered.use(models.add(config, this.kherad.app.net))
    }
    return entered
  }

  opened(world: World): World {
    this.#worlds.add(world)
    return world
  }

  closed(world: World): void {
    this.#worlds.delete(world)
  }

  expectDeclared(): void {
    // Whoever reports it once more would blame another test.
    expectNone(this.violations.splice(0), 'every answer is as its route declares it')
  }

  /** What holds after each test: so none sees the money of the one before it. */
  async expectSettled(): Promise<void> {
    for (const world of this.#worlds) await world.settled()
    this.expectDeclared()
  }

  /** What holds after each file, over all its worlds. */
  async expectSound(): Promise<void> {
    await this.#closeLeft()
    this.expectDeclared()
    const { db, ledger } = this.kherad.app
    expectNone(await db.query({ text: 'select * from ledger.holds' }, []), 'no hold is open')
    expectNone(await ledger.violations(), 'the ledger keeps its invariants')
    const { wrong, next } = await wrongCharges(db, this.#explained)
    this.#explained = next
    expectNone(wrong, 'the lines of every receipt sum to its charge')
  }

  /** A world that a file forgot, or could not end since it failed, would give its models to the files after it. */
  async #closeLeft(): Promise<void> {
    const left = [...this.#worlds]
    for (const world of left) await world[Symbol.asyncDispose]()
    assert.equal(left.length, 0, 'every world of this file is disposed')
  }
}

/** What worlds add to. */
interface Parts {
  env: ReturnType<typeof readEnv>
  models: SharedModels
  /** The guarded clients, the one that serves first. */
  nets: GuardedNet[]
}

/** The members of `defaults` that are read from the server's configuration, not from the catalogue. */
const ofServer = ({ creditsPerUsd, markup, responsesMaxOutputTokens }: Config['defaults']) => ({
  creditsPerUsd,
  markup,
  responsesMaxOutputTokens,
})

/** A setting that is not of the catalogue would change the server for all that share it. */
function refuseSettings(asked: Config, served: Config): void {
  const { providers, models, defaults, ...rest } = asked
  const changed = Object.entries(rest)
    .filter(([name, value]) => !isDeepStrictEqual(value, served[name as keyof Config]))
    .map(([name]) => name)
  if (!isDeepStrictEqual(ofServer(defaults), ofServer(served.defaults))) changed.push('defaults')
  expectNone(changed, 'these settings change the server: boot one of its own')
}

let started: Promise<SharedServer> | undefined

function theServer(): Promise<SharedServer> {
  started ??= start()
  return started
}

/** Started at the first use in this process, and stopped with it. */
async function start(): Promise<SharedServer> {
  await using stack = new AsyncDisposableStack()
  const database = stack.use(await sharedDatabase())
  const env = readEnv({
    KHERAD_PORT: '0',
    // The run deletes it, also where this process is killed.
    KHERAD_DATA: await mkdtemp(path.join(inject('scratch'), 'shared-')),
    DATABASE_URL: database.url,
    OLLAMA_HOST: '',
    ...quietEnvironment,
  })
  const read = loadConfig(env)
  const parts: Parts = { env, models: new SharedModels(), nets: [openNet(read, openOutbound(read))] }
  const violations: string[] = []
  const kherad = stack.use(
    await startKherad({
      config: { ...read, timing: { ...read.timing, ...patience } },
      log: silent,
      net: netOf(parts.nets),
      ...parts.models.options,
      onViolation: ({ operation, what }) => violations.push(`${operation}: ${what}`),
    }),
  )
  const server = new SharedServer(kherad, violations, parts)
  afterTest(() => server.expectSettled())
  afterFile(() => server.expectSound())
  const open = stack.move()
  atWorkerEnd(() => open.disposeAsync())
  return server
}

/** The first of these at the time of each call. */
const netOf = (nets: readonly GuardedNet[]): GuardedNet => ({
  fetch: (...asked) => nets[0]!.fetch(...asked),
  checkTarget: (...asked) => nets[0]!.checkTarget(...asked),
  checkForwardedTarget: (...asked) => nets[0]!.checkForwardedTarget(...asked),
  stream: (...asked) => nets[0]!.stream(...asked),
  keepAliveClient: (...asked) => nets[0]!.keepAliveClient(...asked),
})
