/** PostgreSQL servers of this machine as capacity for databases of clouds. */
import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fail } from '#platform/errors'
import type { Jail } from '#platform/jail'
import type { Log } from '#platform/log'
import { findBinaries } from '#platform/postgres'
import type { DatabaseBackups, DatabaseProvider, DatabaseRecord, OpenDatabase } from '../databases.ts'
import '../phrases.ts'
import { LocalBackups } from './backups.ts'
import { type LocalDatabase, layoutOf, removeFolders } from './layout.ts'
import type { LocalContext } from './local.ts'
import { makeDatabase } from './make.ts'
import { LocalDatabases } from './manager.ts'
import { findPrograms } from './program.ts'
import { stop } from './wake.ts'

/** Far above the users that systems give, and below those of jails. */
const firstUser = 900_000_000

export interface LocalOptions {
  /** Their folder; made with the first database. */
  root: string
  /** Folder with the programs of PostgreSQL; the npm package's when absent. */
  pgBin?: string | undefined
  idleMs: number
  jail: Jail
  log: Log
}

interface Ready {
  place: string
  context: LocalContext
  databases: LocalDatabases
}

export class LocalProvider implements DatabaseProvider {
  readonly name = 'local'
  readonly #options: LocalOptions
  #ready: Promise<Ready> | undefined

  constructor(options: LocalOptions) {
    this.#options = options
  }

  async place(taken: { place: string; osUser: number | null }[]): ReturnType<DatabaseProvider['place']> {
    const { place } = await this.#open()
    if (process.getuid?.() !== 0) return { place, osUser: null }
    const others = new Set(taken.filter((one) => one.place === place).map(({ osUser }) => osUser))
    let osUser = firstUser
    while (others.has(osUser)) osUser++
    return { place, osUser }
  }

  async make(database: DatabaseRecord): Promise<void> {
    const { context } = await this.#here(database)
    await makeDatabase(context, localOf(database))
  }

  async use<Result>(
    database: DatabaseRecord,
    work: (open: OpenDatabase) => Promise<Result>,
  ): Promise<Result> {
    const { databases } = await this.#here(database)
    return databases.use(localOf(database), work)
  }

  async stop(database: DatabaseRecord): Promise<void> {
    const { databases, context, place } = await this.#open()
    // What runs on another machine is stopped there.
    if (database.place !== place) return
    await databases.close(database)
    await stop(context, localOf(database))
  }

  async remove(database: DatabaseRecord): Promise<void> {
    await this.stop(database)
    const { context } = await this.#here(database)
    await removeFolders(layoutOf(context.root, database))
  }

  async backups(database: DatabaseRecord): Promise<DatabaseBackups> {
    const { context } = await this.#here(database)
    return new LocalBackups(context, localOf(database))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ready = await this.#ready?.catch(() => undefined)
    await ready?.databases[Symbol.asyncDispose]()
  }

  async #here({ place }: DatabaseRecord): Promise<Ready> {
    const ready = await this.#open()
    return place === ready.place ? ready : fail('DATABASE_ELSEWHERE', {})
  }

  #open(): Promise<Ready> {
    this.#ready ??= this.#begin().catch((error: unknown) => {
      this.#ready = undefined
      throw error
    })
    return this.#ready
  }

  async #begin(): Promise<Ready> {
    const { root, pgBin, idleMs, jail, log } = this.#options
    const state = await jail.state()
    if (state.kind === 'refused') fail('DATABASES_UNAVAILABLE', { why: state.why })
    // If we are root, users of databases pass through the folder; they see nothing in it.
    await mkdir(root, { recursive: true, mode: 0o711 })
    const { postgres } = await findBinaries(pgBin, undefined, log)
    const programs = await findPrograms(postgres)
    const context: LocalContext = { root: path.resolve(root), tools: state.tools, programs, log }
    return { place: await idOf(root), context, databases: new LocalDatabases(context, { idleMs }) }
  }
}

const localOf = ({ ref, osUser }: DatabaseRecord): LocalDatabase => ({ ref, user: osUser ?? undefined })

/** Of this machine's folder; made once, by whichever process is first. */
async function idOf(root: string): Promise<string> {
  const file = path.join(root, 'id')
  const read = () => readFile(file, 'utf8').then((text) => text.trim())
  const known = await read().catch(() => undefined)
  if (known !== undefined) return known
  const draft = `${file}.${process.pid}`
  await writeFile(draft, `${randomUUID()}\n`)
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(draft)
  return read()
}
