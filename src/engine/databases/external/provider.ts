/**
 * PostgreSQL servers of the operator as capacity: one database for each cloud. They share processors, memory, disk and the catalogues of the
 * server, which name all databases and roles: isolation is weaker than on this machine (docs/decisions/0080).
 */
import { createHmac } from 'node:crypto'
import { fail } from '#platform/errors'
import type { Secrets } from '#platform/secrets'
import { Connections, openWatcherPool } from '../connections.ts'
import {
  type DatabaseProvider,
  type DatabaseRecord,
  type DatabaseRole,
  type OpenDatabase,
  sealedFor,
} from '../databases.ts'
import type { DatabaseServer } from '../settings.ts'
import type { DatabaseSizes } from '../size.ts'
import { DatabaseWatch } from '../watch/watch.ts'
import { disconnectOn, dropOn, makeOn, urlOf } from './server.ts'

export interface ExternalOptions {
  servers: readonly DatabaseServer[]
  secrets: Secrets
  sizes: DatabaseSizes<DatabaseRecord>
  idleMs: number
}

interface Entry {
  connections: Connections
  end(): Promise<void>
  users: number
  idle?: NodeJS.Timeout | undefined
}

export class ExternalProvider implements DatabaseProvider {
  readonly name = 'external'
  readonly hasPasswords = true
  readonly #options: ExternalOptions
  readonly #entries = new Map<string, Promise<Entry>>()

  constructor(options: ExternalOptions) {
    this.#options = options
  }

  /** The server with the most room. */
  async place(taken: { place: string }[]): ReturnType<DatabaseProvider['place']> {
    const room = ({ name, limit }: DatabaseServer): number =>
      limit - taken.filter(({ place }) => place === name).length
    const [best] = [...this.#options.servers].sort((a, b) => room(b) - room(a))
    return best && room(best) > 0 ? { place: best.name, osUser: null } : undefined
  }

  async make(database: DatabaseRecord): Promise<void> {
    await makeOn(this.#serverOf(database), database.ref, await this.#passwordsOf(database))
  }

  async use<Result>(
    database: DatabaseRecord,
    work: (open: OpenDatabase) => Promise<Result>,
  ): Promise<Result> {
    const entry = await this.#entryOf(database)
    entry.users++
    clearTimeout(entry.idle)
    try {
      return await work(entry.connections)
    } finally {
      entry.users--
      if (entry.users === 0)
        entry.idle = setTimeout(() => void this.#close(database), this.#options.idleMs).unref()
    }
  }

  async stop(database: DatabaseRecord): Promise<void> {
    await this.#close(database)
    await disconnectOn(this.#serverOf(database), database.ref)
  }

  async remove(database: DatabaseRecord): Promise<void> {
    await this.#close(database)
    await dropOn(this.#serverOf(database), database.ref)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#entries.keys()].map((ref) => this.#close({ ref })))
  }

  async #entryOf(database: DatabaseRecord): Promise<Entry> {
    const { ref } = database
    const known = this.#entries.get(ref)
    if (known) return known
    const opening = this.#open(database)
    this.#entries.set(ref, opening)
    opening.catch(() => this.#entries.delete(ref))
    return opening
  }

  async #open(database: DatabaseRecord): Promise<Entry> {
    const server = this.#serverOf(database)
    const { sizes } = this.#options
    const [size, passwordOf] = await Promise.all([sizes.of(database), this.#passwordsOf(database)])
    const addressOf = (role: DatabaseRole): string => urlOf(server, database.ref, role, passwordOf(role))
    const watcher = openWatcherPool(addressOf)
    const watch = new DatabaseWatch({
      pool: watcher,
      size,
      whole: false,
      measured: (measurement) => sizes.measured(database, measurement),
      blind: () => void this.#close(database),
    })
    const connections = new Connections({
      addressOf,
      size,
      watch,
    })
    const end = async (): Promise<void> => {
      // What is still under way in it is watched until it has ended.
      await connections.close()
      watch[Symbol.dispose]()
      await watcher.end()
    }
    return { connections, end, users: 0 }
  }

  async #close({ ref }: Pick<DatabaseRecord, 'ref'>): Promise<void> {
    const entry = await this.#entries.get(ref)?.catch(() => undefined)
    if (!entry) return
    clearTimeout(entry.idle)
    this.#entries.delete(ref)
    await entry.end()
  }

  #serverOf({ place }: DatabaseRecord): DatabaseServer {
    return this.#options.servers.find(({ name }) => name === place) ?? fail('DATABASE_ELSEWHERE', {})
  }

  /** Each role has its own, from the one secret of the database. */
  async #passwordsOf(database: DatabaseRecord): Promise<(role: DatabaseRole) => string> {
    const { secretsSealed } = database
    if (secretsSealed === null) throw new Error('An external database has no secret.')
    const secret = await this.#options.secrets.open(secretsSealed, sealedFor(database))
    return (role) => createHmac('sha256', secret).update(role).digest('base64url')
  }
}
