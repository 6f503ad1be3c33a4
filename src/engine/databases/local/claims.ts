/**
 * Which databases of this machine are awake, and which processes use them: a file for each pair. Whoever takes the last one away stops the
 * server; what killed processes have left is found by anybody. All of them together hold the memory of databases within a share of the machine.
 */
import { readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { MachineLock } from './machine-lock.ts'

export interface Claim {
  ref: string
  /** The process, by its number and the time at which it began: numbers are given again. */
  holder: string
  bytes: number
  /** Of its last use in that process. */
  usedMs: number
}

export class Claims {
  readonly #folder: string
  readonly #lock: MachineLock
  readonly #limitBytes: number
  readonly #self: string

  constructor(
    root: string,
    { flock, limitBytes, self = ownHolder() }: { flock: string; limitBytes: number; self?: string },
  ) {
    this.#folder = path.join(root, 'awake')
    this.#lock = new MachineLock(flock, path.join(root, 'awake.lock'))
    this.#limitBytes = limitBytes
    this.#self = self
  }

  /** Takes one for this process. Where there is no room it takes none, and returns those of other databases, the least recently used first. */
  async take(ref: string, bytes: number): Promise<'taken' | Claim[]> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    return this.#lock.hold(async () => {
      const others = (await this.list()).filter((claim) => claim.ref !== ref)
      if (bytesOf(others) + bytes > this.#limitBytes)
        return others.sort((a, b) => lastUse(others, a) - lastUse(others, b))
      await writeFile(this.#file({ ref, holder: this.#self, bytes }), '', { mode: 0o600 })
      return 'taken'
    })
  }

  /** Gives that of this process back; calls `stop` if it was the last one. */
  async giveBack(ref: string, stop: () => Promise<void>): Promise<void> {
    await this.#lock.hold(async () => {
      const claims = (await this.list()).filter((claim) => claim.ref === ref)
      for (const claim of claims)
        if (claim.holder === this.#self) await rm(this.#file(claim), { force: true })
      const others = claims.filter(({ holder }) => holder !== this.#self)
      if (!(await anyLives(others))) await stop()
    })
  }

  /** It is used now. */
  async touch(ref: string, bytes: number): Promise<void> {
    const now = new Date()
    await utimes(this.#file({ ref, holder: this.#self, bytes }), now, now).catch(() => undefined)
  }

  /** Takes away those of processes that are gone; `stop` is called for what nobody else uses. */
  async sweep(stop: (ref: string) => Promise<void>): Promise<void> {
    if ((await this.#dead()).length === 0) return
    await this.#lock.hold(async () => {
      const dead = await this.#dead()
      const claims = await this.list()
      for (const claim of dead) {
        const isUsed = await anyLives(claims.filter(({ ref }) => ref === claim.ref))
        if (!isUsed) await stop(claim.ref)
        await rm(this.#file(claim), { force: true })
      }
    })
  }

  async list(): Promise<Claim[]> {
    const names = await readdir(this.#folder).catch(() => [])
    const claims = await Promise.all(names.map((name) => this.#read(name)))
    return claims.filter((claim) => claim !== undefined)
  }

  async #dead(): Promise<Claim[]> {
    const claims = await this.list()
    const lives = await Promise.all(claims.map(({ holder }) => isAlive(holder)))
    return claims.filter((_, index) => !lives[index])
  }

  async #read(name: string): Promise<Claim | undefined> {
    const [ref = '', holder = '', bytes] = name.split('.')
    // Given back meanwhile.
    const about = await stat(path.join(this.#folder, name)).catch(() => undefined)
    return about && { ref, holder, bytes: Number(bytes), usedMs: about.mtimeMs }
  }

  #file({ ref, holder, bytes }: Omit<Claim, 'usedMs'>): string {
    return path.join(this.#folder, `${ref}.${holder}.${bytes}`)
  }
}

/** Of each database once, however many processes use it. */
const bytesOf = (claims: readonly Claim[]): number =>
  [...new Map(claims.map(({ ref, bytes }) => [ref, bytes])).values()].reduce((sum, one) => sum + one, 0)

const lastUse = (claims: readonly Claim[], { ref }: Claim): number =>
  Math.max(...claims.filter((claim) => claim.ref === ref).map(({ usedMs }) => usedMs))

async function anyLives(claims: readonly Claim[]): Promise<boolean> {
  return (await Promise.all(claims.map(({ holder }) => isAlive(holder)))).includes(true)
}

function ownHolder(): string {
  return `${process.pid}-${beginIn(readFileSync('/proc/self/stat', 'latin1'))}`
}

async function isAlive(holder: string): Promise<boolean> {
  const [pid, begin] = holder.split('-')
  const about = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')
  return about !== '' && beginIn(about) === begin && !/\) [ZX] /.test(about)
}

/** In ticks since the machine started; the 22nd field, the second being a name that may hold anything. */
const beginIn = (about: string): string | undefined => about.slice(about.lastIndexOf(')') + 2).split(' ')[19]
