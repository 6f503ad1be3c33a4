/**
 * Which databases of this machine are awake, and which processes use them: a file for each pair. Each process holds a lock of its own for as long as
 * it lives, so that the others know, from whatever container, whether it is alive. All claims together hold the memory of databases within a share of
 * the machine.
 */
import { randomBytes, randomInt } from 'node:crypto'
import { access, mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fail } from '#platform/errors'
import { holdLock, type JailTools } from '#platform/jail'
import '../phrases.ts'

export interface Claim {
  ref: string
  /** The name of the lock of its process, and a random number of the claim. */
  holder: string
  bytes: number
}

export interface SeenClaim extends Claim {
  /** The time of its last use. */
  usedMs: number
}

/** Ends the server of a database that nobody uses. True where nothing of the server is left, or where the database is in use. */
export type StopUnused = (ref: string) => Promise<boolean>

/** Work under the lock takes milliseconds: it waits for nothing. */
const lockWaitMs = 10_000
/** Replaces the process in the holder of a claim that was given back and stays until its server has stopped. */
const nobody = 'none'

export class Claims implements AsyncDisposable {
  readonly #tools: Pick<JailTools, 'flock'>
  readonly #folder: string
  readonly #processes: string
  readonly #lockFile: string
  readonly #limitBytes: number
  readonly #self = randomBytes(8).toString('hex')
  #life: AsyncDisposable | undefined
  #last: Promise<unknown> = Promise.resolve()

  /** `limitBytes`: the memory that all databases may take together. */
  constructor(root: string, { tools, limitBytes }: { tools: Pick<JailTools, 'flock'>; limitBytes: number }) {
    this.#tools = tools
    this.#folder = path.join(root, 'awake')
    this.#processes = path.join(root, 'awake-processes')
    this.#lockFile = path.join(root, 'awake.lock')
    this.#limitBytes = limitBytes
  }

  /**
   * Claims memory for a database. Throws DATABASE_TOO_LARGE where the database would never have room. Where there is no room now, takes no claim and
   * returns those of other databases, the least recently used first.
   */
  async take(ref: string, bytes: number): Promise<Claim | SeenClaim[]> {
    const max = Math.floor(this.#limitBytes)
    if (bytes > max) fail('DATABASE_TOO_LARGE', { bytes, max })
    for (const folder of [this.#folder, this.#processes])
      await mkdir(folder, { recursive: true, mode: 0o700 })
    return this.withLock(async () => {
      this.#life ??= await this.#lockOf(this.#self)
      const others = (await this.list()).filter((claim) => claim.ref !== ref)
      if (claimedBytes(others) + bytes > this.#limitBytes)
        return others.sort((a, b) => lastUse(others, a) - lastUse(others, b))
      const claim = { ref, holder: `${this.#self}-${randomInt(2 ** 47)}`, bytes }
      await writeFile(this.#file(claim), '', { mode: 0o600 })
      return claim
    })
  }

  /** Gives a claim back. Its memory is taken until the server has stopped, or as long as others use the database. */
  async giveBack(claim: Claim, stop: StopUnused): Promise<void> {
    const given = { ...claim, holder: `${nobody}-${claim.holder}` }
    // The database may be deleted meanwhile.
    await rename(this.#file(claim), this.#file(given)).catch(() => undefined)
    await this.#clear(claim.ref, stop)
  }

  /** Records that the database of the claim is used now. */
  async touch(claim: Claim): Promise<void> {
    const now = new Date()
    await utimes(this.#file(claim), now, now).catch(() => undefined)
  }

  /** Stops databases that were left by processes that are gone, or that could not be stopped when they were given back. */
  async sweep(stop: StopUnused): Promise<void> {
    const claims = await this.list()
    if (claims.some(({ holder }) => processOf(holder) !== this.#self)) {
      const unheld = await this.withLock(() => this.#unheld(claims))
      for (const ref of new Set(unheld.map((claim) => claim.ref))) await this.#clear(ref, stop)
    }
    await this.#forgetDead()
  }

  /** Runs `act` if nobody uses the database, and nobody begins to meanwhile. False where somebody does. */
  async runIfUnused(ref: string, act: () => void): Promise<boolean> {
    return this.withLock(async () => {
      const claims = (await this.list()).filter((claim) => claim.ref === ref)
      if ((await this.#unheld(claims)).length < claims.length) return false
      act()
      return true
    })
  }

  /** Runs `work` while no other process of this machine runs work under this lock. */
  async withLock<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(async () => {
      const held = await holdLock(this.#tools, this.#lockFile, lockWaitMs)
      if (!held) throw new Error(`${this.#lockFile} is held by another process.`)
      await using _lock = held
      // Awaited here, because a returned promise is awaited only when the lock is gone.
      return await work()
    })
    this.#last = turn.catch(() => undefined)
    return turn
  }

  async list(): Promise<SeenClaim[]> {
    for (;;) {
      const names = await readdir(this.#folder).catch(() => [])
      const claims = await Promise.all(names.map((name) => this.#read(name)))
      // A claim that is given back at this moment has a new name, and may be missing under both; the list is read again.
      if (!claims.includes('moved')) return claims.filter((claim) => typeof claim === 'object')
    }
  }

  /** Leaves the claims that this process still has to the others. */
  async [Symbol.asyncDispose](): Promise<void> {
    const life = this.#life
    this.#life = undefined
    if (!life) return
    await rm(path.join(this.#processes, this.#self), { force: true })
    await life[Symbol.asyncDispose]()
  }

  /** Stops an unused database and removes its claims. It is stopped outside of the lock; claims that others give back meanwhile they clear. */
  async #clear(ref: string, stop: StopUnused): Promise<void> {
    const unheld = await this.withLock(async () =>
      this.#unheld((await this.list()).filter((claim) => claim.ref === ref)),
    )
    if (unheld.length === 0 || !(await stop(ref))) return
    for (const claim of unheld) await rm(this.#file(claim), { force: true })
  }

  /** The claims of no living process. Called under the lock, since the check tries to take the lock of the process itself. */
  async #unheld(claims: readonly SeenClaim[]): Promise<SeenClaim[]> {
    const living = new Set([this.#self])
    for (const id of new Set(claims.map(({ holder }) => processOf(holder))))
      if (await this.#lives(id)) living.add(id)
    return claims.filter(({ holder }) => !living.has(processOf(holder)))
  }

  async #lives(id: string): Promise<boolean> {
    const isKnown = await access(path.join(this.#processes, id)).then(
      () => true,
      () => false,
    )
    if (!isKnown || id === this.#self) return isKnown
    const ended = await this.#lockOf(id)
    await ended?.[Symbol.asyncDispose]()
    return ended === undefined
  }

  #lockOf(id: string): Promise<AsyncDisposable | undefined> {
    return holdLock(this.#tools, path.join(this.#processes, id), 0)
  }

  /** Removes the locks of processes that were killed. */
  async #forgetDead(): Promise<void> {
    const ids = await readdir(this.#processes).catch(() => [])
    if (ids.every((id) => id === this.#self)) return
    await this.withLock(async () => {
      for (const id of ids)
        if (!(await this.#lives(id))) await rm(path.join(this.#processes, id), { force: true })
    })
  }

  async #read(name: string): Promise<SeenClaim | 'moved' | undefined> {
    const [, ref, holder, bytes] = /^(.+)\.([\da-z-]+)\.(\d+)$/.exec(name) ?? []
    if (ref === undefined || holder === undefined) return undefined
    const stats = await stat(path.join(this.#folder, name)).catch(() => undefined)
    return stats ? { ref, holder, bytes: Number(bytes), usedMs: stats.mtimeMs } : 'moved'
  }

  #file({ ref, holder, bytes }: Claim): string {
    return path.join(this.#folder, `${ref}.${holder}.${bytes}`)
  }
}

const processOf = (holder: string): string => holder.slice(0, holder.indexOf('-'))

/** The memory of all claims, each database counted once, however many processes use it. */
export const claimedBytes = (claims: readonly Claim[]): number =>
  [...new Map(claims.map(({ ref, bytes }) => [ref, bytes])).values()].reduce((sum, one) => sum + one, 0)

const lastUse = (claims: readonly SeenClaim[], { ref }: Claim): number =>
  Math.max(...claims.filter((claim) => claim.ref === ref).map(({ usedMs }) => usedMs))
