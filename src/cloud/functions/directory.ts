/** The functions that a cloud has, kept in the memory of each process, since every call looks for one. */
import type { LiveCloud } from '#cloud/clouds'
import type { Db } from '#platform/db'
import * as store from './store.ts'

export interface KnownFunction {
  version: number
  verifyJwt: boolean
}

interface DirectoryEntry {
  revision: number
  functions: Promise<ReadonlyMap<string, KnownFunction>>
}

/** The most clouds that are kept; the one that was read first makes way. */
const maxKept = 10_000

export class FunctionDirectory {
  readonly #db: Db
  readonly #known = new Map<string, DirectoryEntry>()

  constructor(db: Db) {
    this.#db = db
  }

  /** The function, as of the cloud's revision or a later one. */
  async find(cloud: LiveCloud, name: string): Promise<KnownFunction | undefined> {
    return (await this.#functionsOf(cloud)).get(name)
  }

  #functionsOf(cloud: LiveCloud): Promise<ReadonlyMap<string, KnownFunction>> {
    const { cloudId, functionsRevision: revision } = cloud
    const known = this.#known.get(cloudId)
    if (known && known.revision >= revision) return known.functions
    const entry: DirectoryEntry = { revision, functions: this.#read(cloud) }
    this.#known.delete(cloudId)
    this.#known.set(cloudId, entry)
    const [first] = this.#known.keys()
    if (this.#known.size > maxKept && first !== undefined) this.#known.delete(first)
    entry.functions.catch(() => {
      if (this.#known.get(cloudId) === entry) this.#known.delete(cloudId)
    })
    return entry.functions
  }

  async #read(cloud: LiveCloud): Promise<ReadonlyMap<string, KnownFunction>> {
    const rows = await store.listFunctions(this.#db.kysely, cloud)
    return new Map(rows.map(({ name, version, verify_jwt: verifyJwt }) => [name, { version, verifyJwt }]))
  }
}
