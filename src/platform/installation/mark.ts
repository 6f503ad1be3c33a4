/**
 * The mark of an installation in its bucket: who holds it now. A machine that was cloned has the same folder, path and id as its original, and
 * only what both reach can tell them apart.
 */
import { randomUUID } from 'node:crypto'
import { readFile, readlink } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '#platform/log'
import { isAlive } from '#platform/postgres'
import type { Problem } from '#platform/readiness'
import type { Storage } from '#platform/storage'
import { phrases } from './phrases.ts'
import { type DatabasePlace, placeName } from './settle.ts'

const key = 'kherad-installation.json'
const beatMs = 15_000
/** A start waits no longer for a store that is away. */
const answerMs = 5_000
/** Of two clocks that differ by more than this, one is wrong by more than machines with NTP are. */
const freshMs = 5 * 60_000

/** A process, and where it can be asked for whether it lives. */
interface Holder {
  /** Of the kernel's start: two machines that run have two. */
  boot: string
  /** Process ids of containers mean others elsewhere. */
  pidNamespace: string
  pid: number
  /** The data folder, or the database that several machines share. */
  data: string
  /** Of the process alone. */
  token: string
}

interface Mark {
  id: string
  place: string
  holder?: Holder
  atMs: number
}

export interface MarkOptions {
  storage: Pick<Storage, 'get' | 'put'>
  /** Of the identity of this installation. */
  id: string
  place: DatabasePlace
  log: Log
  nowMs(): number
  /** How long it is waited for the next mark of a holder that may be alive. */
  waitMs?: number
}

export class BucketMark implements AsyncDisposable {
  readonly #options: MarkOptions
  readonly #stop = new AbortController()
  #beating: Promise<void> | undefined
  readonly #token = randomUUID()
  #isLost = false

  constructor(options: MarkOptions) {
    this.#options = options
  }

  /**
   * The place of somebody alive elsewhere who holds the bucket with this id: then what is here is a copy. Otherwise the mark is ours from now on.
   * A holder of which nobody here can say whether it lives is watched for two of its marks. Where the bucket does not answer, nobody holds it.
   */
  async heldBy({ isAdopted }: { isAdopted: boolean }): Promise<string | undefined> {
    const self = await this.#self()
    const mark = await this.#read()
    if (mark && mark.id !== this.#options.id && !isAdopted) {
      this.#options.log.warn({ place: mark.place }, 'the bucket is marked as that of another installation')
      return undefined
    }
    if (mark && !isAdopted && (await this.#lives(mark, self))) return mark.place
    await this.#write(self)
    this.#beating = this.#beat(self)
    return undefined
  }

  readonly readiness = (): Problem | undefined =>
    this.#isLost ? { code: 'bucket_held_elsewhere', message: phrases.claimed(), blocks: false } : undefined

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    if (!this.#beating) return
    await this.#beating
    // Of several processes the others go on holding it.
    if ((await this.#read())?.holder?.token === this.#token) await this.#write(undefined)
  }

  async #lives({ holder, atMs }: Mark, self: Holder): Promise<boolean> {
    const { nowMs, waitMs = 2 * beatMs } = this.#options
    if (!holder || this.#isOurs(holder, self)) return false
    if (holder.boot === self.boot && holder.pidNamespace === self.pidNamespace) return isAlive(holder.pid)
    if (Math.abs(nowMs() - atMs) > freshMs) return false
    this.#options.log.info(
      { waitMs },
      'the bucket was in use a moment ago: looking whether its holder is alive',
    )
    await pause(waitMs, undefined, { signal: this.#stop.signal, ref: false }).catch(() => undefined)
    const later = await this.#read()
    return later?.holder !== undefined && later.atMs !== atMs
  }

  /** The processes of one folder, or of all machines over one database, hold it together. */
  #isOurs(holder: Holder, self: Holder): boolean {
    const isSameMachine = holder.boot === self.boot && holder.pidNamespace === self.pidNamespace
    return holder.data === self.data && (isSameMachine || this.#options.place.kind === 'server')
  }

  async #beat(self: Holder): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      await pause(beatMs, undefined, { signal, ref: false }).catch(() => undefined)
      if (signal.aborted) return
      const mark = await this.#read()
      this.#isLost = mark?.holder !== undefined && !this.#isOurs(mark.holder, self)
      if (this.#isLost) this.#options.log.error({ place: mark?.place }, 'another server has taken the bucket')
      // Others that hold it together write it too.
      else if (!mark || this.#options.nowMs() - mark.atMs > beatMs / 2) await this.#write(self)
    }
  }

  async #self(): Promise<Holder> {
    const { place } = this.#options
    return {
      boot: await readFile('/proc/sys/kernel/random/boot_id', 'utf8').then(
        (text) => text.trim(),
        () => '',
      ),
      pidNamespace: await readlink('/proc/self/ns/pid').catch(() => ''),
      pid: process.pid,
      data: place.kind === 'folder' ? `${place.device}:${place.inode}` : `${place.system}/${place.database}`,
      token: this.#token,
    }
  }

  async #read(): Promise<Mark | undefined> {
    try {
      const read = await Promise.race([this.#text(), pause(answerMs, 'late', { ref: false })])
      if (read === 'late') throw new Error('The store did not answer in time.')
      return read === undefined ? undefined : (JSON.parse(read) as Mark)
    } catch (error) {
      this.#options.log.warn({ err: error }, 'the mark of the bucket cannot be read')
      return undefined
    }
  }

  async #text(): Promise<string | undefined> {
    const stream = await this.#options.storage.get(key)
    return stream && text(stream)
  }

  async #write(holder: Holder | undefined): Promise<void> {
    const { storage, id, place, nowMs, log } = this.#options
    const mark: Mark = { id, place: placeName(place), atMs: nowMs(), ...(holder && { holder }) }
    await storage
      .put(key, Buffer.from(JSON.stringify(mark)), { signal: AbortSignal.timeout(answerMs) })
      .catch((error: unknown) => log.warn({ err: error }, 'the mark of the bucket cannot be written'))
  }
}
