/** SQL of the developers of dedicated clouds: reading that cannot write, and scripts that happen whole or not at all. */
import type { CloudKey } from '#cloud/clouds'
import type { CloudDatabases, OpenDatabase } from '#cloud/databases'
import { Failure } from '#platform/errors'
import { Turns } from '#platform/turns'
import type { SqlAnswer } from './answer.ts'
import { type Description, describe } from './describe.ts'
import { read, requireSingleStatement } from './read.ts'
import { statementsOf } from './script.ts'
import { type WrittenAnswer, write } from './write.ts'
import './phrases.ts'

export type { SqlAnswer } from './answer.ts'
export type { Description } from './describe.ts'
export { readScript } from './lexer.ts'
export { statementsOf } from './script.ts'
export type { WrittenAnswer } from './write.ts'

const waiting = {
  maxWaitMs: 10_000,
  busy: () => new Failure('SQL_BUSY', {}, { retryAfterMs: 1_000 }),
}
/** The limits of each account: whatever clouds it has, places and waiting are left for others. */
const accountLimits = { places: 32, perOwner: 8, waitingPerOwner: 32, waiting: 500, ...waiting }
/** The limits of each cloud: `perOwner` is the number of connections of a developer to one database. */
const cloudLimits = { places: 32, perOwner: 2, waitingPerOwner: 8, waiting: 32, ...waiting }

/** The longest run of a request for reading, and of a script. */
const standardTimeouts = { readMs: 10_000, writeMs: 60_000 }

export class CloudSql {
  readonly #databases: Pick<CloudDatabases, 'use'>
  readonly #timeouts: typeof standardTimeouts
  readonly #accounts = new Turns(accountLimits)
  readonly #clouds = new Turns(cloudLimits)

  constructor(databases: Pick<CloudDatabases, 'use'>, timeouts = standardTimeouts) {
    this.#databases = databases
    this.#timeouts = timeouts
  }

  /**
   * Runs one statement that cannot write. Throws SQL_REFUSED, SQL_FAILED, SQL_TIMEOUT, SQL_ANSWER_TOO_LARGE, SQL_DATABASE_LOST, SQL_BUSY, and
   * what waking the database throws.
   */
  async read(cloud: CloudKey, query: string): Promise<SqlAnswer> {
    requireSingleStatement(query)
    return this.#use(cloud, (open) => read(open, query, this.#timeouts.readMs))
  }

  /**
   * Runs a script as one transaction. Throws what `read` throws, CLOUD_READ_ONLY and SQL_OUTCOME_UNKNOWN; where a failure has `executed` in it, or is
   * none of these, a part of the script may have happened.
   */
  async write(cloud: CloudKey, query: string): Promise<WrittenAnswer> {
    const statements = statementsOf(query)
    return this.#use(cloud, (open) => write(open, { query, statements, timeoutMs: this.#timeouts.writeMs }))
  }

  /** Tables and functions of the app. Throws SQL_BUSY, SQL_TIMEOUT, and what waking the database throws. */
  describe(cloud: CloudKey): Promise<Description> {
    return this.#use(cloud, describe)
  }

  #use<Result>(cloud: CloudKey, work: (open: OpenDatabase) => Promise<Result>): Promise<Result> {
    return this.#accounts.run(cloud.accountId, () =>
      this.#clouds.run(cloud.cloudId, () => this.#databases.use(cloud, work)),
    )
  }
}
