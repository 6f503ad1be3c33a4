/**
 * PostgreSQL servers of the operator as capacity: one database for each cloud. They share processors, memory, disk and the catalogues of the
 * server, which name all databases and roles: isolation is weaker than on this machine (docs/decisions/cloud/databases.md). Apps get no schema
 * beside `public` here, because the right to make one is also the right to create the trusted extensions of the server.
 */
import { fail } from '#platform/errors'
import type { Secrets } from '#platform/secrets'
import {
  type DatabaseProvider,
  type DatabaseRecord,
  type DatabaseRole,
  type OpenDatabase,
  sealPurposeOf,
} from '../databases.ts'
import { type DatabaseCloser, DatabasesInUse, type OpenedDatabase } from '../in-use.ts'
import type { DatabaseServer } from '../settings.ts'
import type { DatabaseSizes } from '../size.ts'
import { openWatchedDatabase } from '../watched.ts'
import { loginsOf, passwordOf } from './logins.ts'
import { disconnectClientsOn, dropDatabaseOn, makeDatabaseOn, resetLoginsOn, urlOf } from './server.ts'

export interface ExternalOptions {
  servers: readonly DatabaseServer[]
  secrets: Secrets
  sizes: DatabaseSizes<DatabaseRecord>
  idleMs: number
}

export class ExternalProvider implements DatabaseProvider {
  readonly name = 'external'
  readonly hasPasswords = true
  readonly #options: ExternalOptions
  readonly #inUse: DatabasesInUse<DatabaseRecord>

  constructor(options: ExternalOptions) {
    this.#options = options
    this.#inUse = new DatabasesInUse({
      idleMs: options.idleMs,
      open: (database, closing) => this.#open(database, closing),
    })
  }

  /** The server with the most room. */
  async place(taken: { place: string }[]): ReturnType<DatabaseProvider['place']> {
    const room = ({ name, limit }: DatabaseServer): number =>
      limit - taken.filter(({ place }) => place === name).length
    const [best] = [...this.#options.servers].sort((a, b) => room(b) - room(a))
    return best && room(best) > 0 ? { place: best.name, osUser: null } : undefined
  }

  async make(database: DatabaseRecord): Promise<void> {
    const [secret, size] = await Promise.all([this.#secretOf(database), this.#options.sizes.sizeOf(database)])
    await makeDatabaseOn(this.#serverOf(database), database.ref, await loginsOf(secret, size))
  }

  use<Result>(database: DatabaseRecord, work: (open: OpenDatabase) => Promise<Result>): Promise<Result> {
    return this.#inUse.use(database, work)
  }

  async stop(database: DatabaseRecord): Promise<void> {
    // Disconnecting ends the work under way; only then is there nothing left to wait for.
    await disconnectClientsOn(this.#serverOf(database), database.ref)
    await this.#inUse.close(database)
  }

  async remove(database: DatabaseRecord): Promise<void> {
    await dropDatabaseOn(this.#serverOf(database), database.ref)
    await this.#inUse.close(database)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#inUse[Symbol.asyncDispose]()
  }

  async #open(database: DatabaseRecord, closing: DatabaseCloser): Promise<OpenedDatabase> {
    const server = this.#serverOf(database)
    const { sizes } = this.#options
    const [size, secret] = await Promise.all([sizes.sizeOf(database), this.#secretOf(database)])
    await resetLoginsOn(server, database.ref, await loginsOf(secret, size))
    return openWatchedDatabase({
      addressOf: (role: DatabaseRole) => urlOf(server, database.ref, role, passwordOf(secret, role)),
      size,
      hasOwnServer: false,
      onMeasured: (measurement) => sizes.recordMeasurement(database, measurement),
      onWatchLost: closing.close,
      // The next use sets the password of the role again.
      onPasswordRejected: closing.close,
    })
  }

  #serverOf({ place }: DatabaseRecord): DatabaseServer {
    return this.#options.servers.find(({ name }) => name === place) ?? fail('DATABASE_ELSEWHERE', {})
  }

  async #secretOf(database: DatabaseRecord): Promise<string> {
    const { secretsSealed } = database
    if (secretsSealed === null) throw new Error('An external database has no secret.')
    return this.#options.secrets.open(secretsSealed, sealPurposeOf(database))
  }
}
