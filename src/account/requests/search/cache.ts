/**
 * What a process has read of segments lately. A segment never changes, so that nothing of it becomes wrong; the bytes are bounded, and what was not used
 * for the longest time is dropped first.
 */
import type { Db } from '#platform/db'
import type { Slots } from './slots.ts'
import type { RequestSegment } from './store.ts'

const maxBytes = 32 * 1024 * 1024
/** What a map takes for an entry besides its slots. */
const entryOverhead = 250

/** The slots of segments, by the last positions of these. */
export type SlotsBySegment = ReadonlyMap<bigint, Slots>

interface Directory {
  /** Those with the newest calls first. */
  segments: readonly RequestSegment[]
  lastPosition: bigint
}

interface Entry {
  bytes: number
  directory?: Directory
  slots?: Map<bigint, Slots>
}

export class SegmentCache {
  readonly #entries = new Map<string, Entry>()
  #bytes = 0

  /** The segments of an account that are known so far. */
  directory(accountId: string): Directory {
    return this.#use(accountId)?.directory ?? { segments: [], lastPosition: 0n }
  }

  setDirectory(accountId: string, directory: Directory): void {
    const bytes = directory.segments.reduce((sum, { charges }) => sum + charges.byteLength + entryOverhead, 0)
    this.#put(accountId, { directory, bytes })
  }

  /** The slots of segments that have something, such as a term, as far as they are known. */
  slots(accountId: string, name: string): SlotsBySegment {
    return this.#use(`${accountId} ${name}`)?.slots ?? new Map()
  }

  /** Returns them together with those that were known. */
  addSlots(accountId: string, name: string, added: SlotsBySegment): SlotsBySegment {
    const id = `${accountId} ${name}`
    const entry = this.#use(id)
    const slots = new Map([...(entry?.slots ?? []), ...added])
    let bytes = 0
    for (const one of slots.values()) bytes += one.byteLength + entryOverhead
    this.#put(id, { slots, bytes })
    return slots
  }

  #use(id: string): Entry | undefined {
    const entry = this.#entries.get(id)
    if (entry) {
      this.#entries.delete(id)
      this.#entries.set(id, entry)
    }
    return entry
  }

  #put(id: string, entry: Entry): void {
    this.#drop(id)
    this.#entries.set(id, entry)
    this.#bytes += entry.bytes
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= maxBytes) return
      this.#drop(oldest)
    }
  }

  #drop(id: string): void {
    this.#bytes -= this.#entries.get(id)?.bytes ?? 0
    this.#entries.delete(id)
  }
}

const caches = new WeakMap<Db, SegmentCache>()

/** The cache of a process for one database. */
export function segmentCache(db: Db): SegmentCache {
  let cache = caches.get(db)
  if (!cache) {
    cache = new SegmentCache()
    caches.set(db, cache)
  }
  return cache
}
