/** Apps use the platform's own tables on some of its connections, each cloud in its turn, so that money never waits for all apps. */
import type { LiveCloud } from '#cloud/clouds'
import { type Db, dbInTurns } from '#platform/db'
import { Failure } from '#platform/errors'
import { Turns } from '#platform/turns'

/** Half of the connections of a process. */
const places = 5

export class CloudConnections {
  readonly #turns = new Turns({
    places,
    perOwner: places - 2,
    waitingPerOwner: 200,
    waiting: 1_000,
    maxWaitMs: 5_000,
    busy: () => new Failure('CLOUD_BUSY', {}, { retryAfterMs: 1_000 }),
  })
  readonly #ofClouds = new WeakMap<LiveCloud, Db>()

  /** The database as this cloud may use it: its statements and transactions throw CLOUD_BUSY where too many wait. */
  of(cloud: LiveCloud, db: Db): Db {
    const known = this.#ofClouds.get(cloud)
    if (known) return known
    const made = dbInTurns(db, (work) => this.#turns.run(cloud.cloudId, work))
    this.#ofClouds.set(cloud, made)
    return made
  }
}
