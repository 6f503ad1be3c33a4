/** The source from which runtimes get programs, and to which they give the lines that functions write. */
import {
  type CloudKey,
  cloudUrl,
  keysOf,
  type LiveCloud,
  type ProgramRecord,
  programRecord,
} from '#cloud/clouds'
import type { FunctionsApp } from './app.ts'
import { FunctionDirectory, type KnownFunction } from './directory.ts'
import type { CloudProgram, FunctionSource, LogLine } from './functions.ts'
import { LogIntake } from './logs/log-intake.ts'
import { type Mask, maskOf } from './logs/mask.ts'
import { openSecretsOf } from './secrets.ts'
import * as store from './store.ts'

type SourceContext = Pick<FunctionsApp, 'db' | 'clock' | 'log' | 'secrets' | 'config'>

export interface PlatformFunctions extends FunctionSource, AsyncDisposable {
  /** Finds a function, from memory while nothing has changed; undefined where the cloud has no function of this name. */
  find(cloud: LiveCloud, name: string): Promise<KnownFunction | undefined>
  /** A program of one function that is not stored: its bundle is to be tried. */
  trialProgram(cloud: CloudKey, candidate: { name: string; bundle: string }): Promise<CloudProgram>
  /** Resolves when the lines that came before are stored, or lost. */
  logsSettled(): Promise<void>
}

export const openFunctionSource = (context: SourceContext): PlatformFunctions => new PlatformSource(context)

/** The most clouds whose secrets are remembered to mask their lines. */
const maxMasks = 200
/** The most replaced values that are still masked. A process of an earlier revision may still write them; later processes do not have them. */
const earlierValues = 20

interface KnownMask {
  revision: number
  values: readonly string[]
  mask: Mask
}

class PlatformSource implements PlatformFunctions {
  readonly #context: SourceContext
  readonly #directory: FunctionDirectory
  readonly #intake: LogIntake
  /** The masks by cloud; the one that changed longest ago makes way. */
  readonly #masks = new Map<string, KnownMask>()

  constructor(context: SourceContext) {
    this.#context = context
    this.#directory = new FunctionDirectory(context.db)
    this.#intake = new LogIntake({
      ...context,
      maskOf: (cloud) => this.#maskOf(cloud),
    })
  }

  find(cloud: LiveCloud, name: string): Promise<KnownFunction | undefined> {
    return this.#directory.find(cloud, name)
  }

  async program(cloud: CloudKey & { revision: number }): Promise<CloudProgram | undefined> {
    const { kysely } = this.#context.db
    // The record is read first, so that what is read after it is at least as new.
    const record = await programRecord(kysely, cloud)
    if (!record) return undefined
    return this.#programOf(cloud, record, async () =>
      (await store.liveVersions(kysely, cloud)).map(({ name, version, bundle }) => ({
        name,
        version,
        bundle,
      })),
    )
  }

  async trialProgram(
    cloud: CloudKey,
    { name, bundle }: { name: string; bundle: string },
  ): Promise<CloudProgram> {
    const record = await programRecord(this.#context.db.kysely, cloud)
    if (!record) throw new Error('the cloud is gone')
    return this.#programOf(cloud, record, async () => [{ name, version: 0, bundle }])
  }

  log(cloud: CloudKey, lines: readonly LogLine[]): void {
    this.#intake.add(cloud, lines)
  }

  logsSettled(): Promise<void> {
    return this.#intake.settled()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#intake[Symbol.asyncDispose]()
  }

  async #programOf(
    { accountId, cloudId }: CloudKey,
    { ref, plan, revision }: ProgramRecord,
    read: () => Promise<CloudProgram['functions']>,
  ): Promise<CloudProgram> {
    const { db, clock, config } = this.#context
    // All three are read at once, because a call that needs a new process waits for them.
    const [functions, secrets, keys] = await Promise.all([
      read(),
      openSecretsOf(this.#context, { accountId, cloudId }),
      keysOf(db.kysely, { accountId, cloudId }),
    ])
    this.#remember({ accountId, cloudId }, Number(revision), Object.values(secrets))
    const nowMs = clock.nowMs()
    const publicKey = keys.findLast(
      ({ kind, expires_at: until }) => kind === 'public' && (until === null || until.getTime() > nowMs),
    )
    const url = cloudUrl(config, ref)
    return {
      ...{ accountId, cloudId, ref, plan, functions },
      revision: Number(revision),
      cloudUrl: url,
      // There is no service key: it opens everything, and the developer decides whether a function may have it.
      bindings: {
        ...secrets,
        SUPABASE_URL: url,
        SUPABASE_ANON_KEY: publicKey?.public_key ?? '',
        KHERAD_BASE_URL: config.baseUrl,
      },
      secretValues: Object.values(secrets),
    }
  }

  async #maskOf(cloud: CloudKey): Promise<Mask> {
    const record = await programRecord(this.#context.db.kysely, cloud)
    const revision = Number(record?.revision ?? 0)
    const known = this.#masks.get(cloud.cloudId)
    if (known && known.revision >= revision) return known.mask
    return this.#remember(cloud, revision, Object.values(await openSecretsOf(this.#context, cloud)))
  }

  #remember({ cloudId }: CloudKey, revision: number, current: readonly string[]): Mask {
    const before = this.#masks.get(cloudId)?.values ?? []
    const earlier = before.filter((value) => !current.includes(value)).slice(0, earlierValues)
    const values = [...current, ...earlier]
    const mask = maskOf(values)
    this.#masks.delete(cloudId)
    this.#masks.set(cloudId, { revision, values, mask })
    const [oldest] = this.#masks.keys()
    if (this.#masks.size > maxMasks && oldest !== undefined) this.#masks.delete(oldest)
    return mask
  }
}
