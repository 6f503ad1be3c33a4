/**
 * Which databases of this machine are awake, and which processes use them: a file for each pair. Whoever takes the last one away stops the
 * server; what killed processes have left is found by anybody. All of them together hold the memory of databases within a share of the machine.
 */
import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { holdLock, type JailTools } from '#platform/jail'

export interface Claim {
  ref: string
  /** The process, by its number and the time at which it began, since numbers are given again; and which of its claims it is. */
  holder: string
  bytes: number
}

export interface SeenClaim extends Claim {
  /** Of its last use. */
  usedMs: number
}

/** What is done under the lock takes milliseconds; the longest is the stop of a server. */
const lockWaitMs = 20_000

export class Claims {
  readonly #tools: Pick<JailTools, 'flock'>
  readonly #folder: string
  readonly #lockFile: string
  readonly #limitBytes: number
  readonly #self: string
  #last: Promise<unknown> = Promise.resolve()

  /** `limitBytes`: what all may take together. */
  constructor(
    root: string,
    {
      tools,
      limitBytes,
      self = ownProcess(),
    }: { tools: Pick<JailTools, 'flock'>; limitBytes: number; self?: string },
  ) {
    this.#tools = tools
    this.#folder = path.join(root, 'awake')
    this.#lockFile = path.join(root, 'awake.lock')
    this.#limitBytes = limitBytes
    this.#self = self
  }

  /** Where there is no room it takes none, and returns those of other databases, the least recently used first. */
  async take(ref: string, bytes: number): Promise<Claim | SeenClaim[]> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    return this.alone(async () => {
      const others = (await this.list()).filter((claim) => claim.ref !== ref)
      if (bytesOf(others) + bytes > this.#limitBytes)
        return others.sort((a, b) => lastUse(others, a) - lastUse(others, b))
      const claim = { ref, holder: `${this.#self}-${randomInt(2 ** 47)}`, bytes }
      await writeFile(this.#file(claim), '', { mode: 0o600 })
      return claim
    })
  }

  /** Calls `stop` if it was the last one of its database. */
  async giveBack(claim: Claim, stop: () => Promise<unknown>): Promise<void> {
    await this.alone(async () => {
      await rm(this.#file(claim), { force: true })
      if (!(await this.isUsed(claim.ref))) await stop()
    })
  }

  /** It is used now. */
  async touch(claim: Claim): Promise<void> {
    const now = new Date()
    await utimes(this.#file(claim), now, now).catch(() => undefined)
  }

  /** Takes away those of processes that are gone; `stop` is called for what nobody else uses. */
  async sweep(stop: (ref: string) => Promise<unknown>): Promise<void> {
    if ((await this.#dead()).length === 0) return
    await this.alone(async () => {
      for (const claim of await this.#dead()) {
        if (!(await this.isUsed(claim.ref))) await stop(claim.ref)
        await rm(this.#file(claim), { force: true })
      }
    })
  }

  /** By a process that lives. */
  async isUsed(ref: string): Promise<boolean> {
    const claims = (await this.list()).filter((claim) => claim.ref === ref)
    return (await Promise.all(claims.map(({ holder }) => isAlive(holder)))).includes(true)
  }

  /** Runs `work` while no other process of this machine runs any. */
  async alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(async () => {
      const held = await holdLock(this.#tools, this.#lockFile, lockWaitMs)
      if (!held) throw new Error(`${this.#lockFile} is held by another process.`)
      await using _lock = held
      // Awaited here: what is returned is awaited only when the lock is gone.
      return await work()
    })
    this.#last = turn.catch(() => undefined)
    return turn
  }

  async list(): Promise<SeenClaim[]> {
    const names = await readdir(this.#folder).catch(() => [])
    const claims = await Promise.all(names.map((name) => this.#read(name)))
    return claims.filter((claim) => claim !== undefined)
  }

  async #dead(): Promise<SeenClaim[]> {
    const claims = await this.list()
    const lives = await Promise.all(claims.map(({ holder }) => isAlive(holder)))
    return claims.filter((_, index) => !lives[index])
  }

  async #read(name: string): Promise<SeenClaim | undefined> {
    const [, ref, holder, bytes] = /^(.+)\.([\d-]+)\.(\d+)$/.exec(name) ?? []
    // Given back meanwhile.
    const about = await stat(path.join(this.#folder, name)).catch(() => undefined)
    if (!about || ref === undefined || holder === undefined) return undefined
    return { ref, holder, bytes: Number(bytes), usedMs: about.mtimeMs }
  }

  #file({ ref, holder, bytes }: Claim): string {
    return path.join(this.#folder, `${ref}.${holder}.${bytes}`)
  }
}

/** Of each database once, however many processes use it. */
const bytesOf = (claims: readonly Claim[]): number =>
  [...new Map(claims.map(({ ref, bytes }) => [ref, bytes])).values()].reduce((sum, one) => sum + one, 0)

const lastUse = (claims: readonly SeenClaim[], { ref }: Claim): number =>
  Math.max(...claims.filter((claim) => claim.ref === ref).map(({ usedMs }) => usedMs))

function ownProcess(): string {
  return `${process.pid}-${beginIn(readFileSync('/proc/self/stat', 'latin1'))}`
}

async function isAlive(holder: string): Promise<boolean> {
  const [pid, begin] = holder.split('-')
  const about = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')
  return about !== '' && beginIn(about) === begin && !/\) [ZX] /.test(about)
}

/** In ticks since the machine started; the 22nd field, the second being a name that may hold anything. */
const beginIn = (about: string): string | undefined => about.slice(about.lastIndexOf(')') + 2).split(' ')[19]
