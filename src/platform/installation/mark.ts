/**
 * The mark of an installation in its bucket: it says who holds the bucket now. A cloned machine has the same folder, path and id as its original, so
 * only a store that both reach can tell them apart.
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
/** How long a start waits for a store that does not answer. */
const answerMs = 5_000
/** A mark whose time differs by more than this counts as abandoned: clocks of machines with NTP differ by less. */
const freshMs = 5 * 60_000

/** A process, and what identifies the system on which it runs. */
interface Holder {
  /** The kernel's boot id: two running machines have different ones. */
  boot: string
  /** The namespace of process ids: the ids of a container mean other processes elsewhere. */
  pidNamespace: string
  pid: number
  /** The data folder, or the database that several machines share. */
  data: string
  /** Identifies the process. */
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
  /** The id of this installation's identity. */
  id: string
  place: DatabasePlace
  log: Log
  nowMs(): number
  /** How long to wait for the next mark of a holder that may be alive. */
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
   * Returns the place of another live server that holds the bucket with this id: then the installation here is a copy. Otherwise undefined, and this
   * process renews the mark from now on, unless the mark is that of another installation. A holder whose process cannot be checked from here is
   * watched for two intervals of its mark. If the bucket does not answer, nobody holds it.
   */
  async claimOrFindHolder({ isAdopted }: { isAdopted: boolean }): Promise<string | undefined> {
    const self = await this.#self()
    const mark = await this.#read()
    if (mark && mark.id !== this.#options.id && !isAdopted) {
      this.#options.log.warn({ place: mark.place }, 'the bucket is marked as that of another installation')
      return undefined
    }
    if (mark && !isAdopted && (await this.#isHolderAlive(mark, self))) return mark.place
    await this.#write(self)
    this.#beating = this.#renewUntilStopped(self)
    return undefined
  }

  readonly readiness = (): Problem | undefined =>
    this.#isLost ? { code: 'bucket_held_elsewhere', message: phrases.claimed(), blocks: false } : undefined

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    if (!this.#beating) return
    await this.#beating
    // If another process holds the bucket too, its mark stays.
    if ((await this.#read())?.holder?.token === this.#token) await this.#write(undefined)
  }

  async #isHolderAlive({ holder, atMs }: Mark, self: Holder): Promise<boolean> {
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

  /** Whether this installation holds the mark: the processes of one folder, or of all machines over one database, hold it together. */
  #isOurs(holder: Holder, self: Holder): boolean {
    const isSameMachine = holder.boot === self.boot && holder.pidNamespace === self.pidNamespace
    return holder.data === self.data && (isSameMachine || this.#options.place.kind === 'server')
  }

  async #renewUntilStopped(self: Holder): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      await pause(beatMs, undefined, { signal, ref: false }).catch(() => undefined)
      if (signal.aborted) return
      const mark = await this.#read()
      this.#isLost = mark?.holder !== undefined && !this.#isOurs(mark.holder, self)
      if (this.#isLost) this.#options.log.error({ place: mark?.place }, 'another server has taken the bucket')
      // Other processes that hold the bucket together with this one write the mark too.
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
