import type { Readable } from 'node:stream'
import type { Storage } from '#platform/storage'
import { BoundedCache } from './bounded-cache.ts'

/** The largest content that is cached; larger ones are read from the store for each visitor. */
export const maxCachedBlob = 256 * 1024
const maxWeight = 32 * 1024 * 1024

/** Contents of files: small ones that are asked for stay in memory, all together within a limit. */
export class Blobs {
  readonly #storage: Pick<Storage, 'get'>
  readonly #cache = new BoundedCache<Buffer>(maxWeight)

  constructor(storage: Pick<Storage, 'get'>) {
    this.#storage = storage
  }

  /** The bytes that are kept. */
  get weight(): number {
    return this.#cache.weight
  }

  /** A content from memory; undefined where it is not there. */
  get(key: string): Buffer | undefined {
    return this.#cache.get(key)
  }

  /** Loads a content of at most `maxCachedBlob` bytes; undefined if the store does not have it. Throws if it has another length. */
  load(key: string, bytes: number): Promise<Buffer | undefined> {
    return this.#cache.load(
      key,
      () => this.#read(key, bytes),
      (buffer) => buffer.length + 300,
    )
  }

  open(key: string, range?: { start: number; end: number }): Promise<Readable | undefined> {
    return this.#storage.get(key, range)
  }

  async #read(key: string, bytes: number): Promise<Buffer | undefined> {
    const source = await this.#storage.get(key)
    if (!source) return undefined
    // The buffer is a separate one: one of a pool would keep its neighbours in memory.
    const whole = Buffer.allocUnsafeSlow(bytes)
    let length = 0
    for await (const chunk of source as AsyncIterable<Buffer>) {
      if (length + chunk.length > bytes)
        throw new Error('A stored file of a site is longer than its row says.')
      length += chunk.copy(whole, length)
    }
    if (length !== bytes) throw new Error('A stored file of a site is shorter than its row says.')
    return whole
  }
}
