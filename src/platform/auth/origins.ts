/** Origins of pages that may send requests, as browsers write them in `Origin`; and the origins of all keys together, for preflights. */
import type { Db } from '#platform/db'
import * as store from './store.ts'

export const maxOrigins = 50
const maxOriginLength = 255

/**
 * Returns an origin as browsers write it: `https://app.example.com`, `http://localhost:5173`, `tauri://localhost`; scheme and host in small letters,
 * without the scheme's default port. `undefined` for a text that no browser sends.
 */
export function readOrigin(typed: string): string | undefined {
  const text = typed.trim().toLowerCase().replace(/\/$/, '')
  if (
    text.length > maxOriginLength ||
    !/^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]+$/.test(text) ||
    !URL.canParse(text)
  )
    return undefined
  const url = new URL(text)
  // For other schemes browsers serialize the origin as "null", so the origin as typed is kept.
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.origin : text
}

/**
 * The origins of all valid keys, cached until `clear` is called after a change of a key. A preflight carries no key, so nothing else can be checked.
 */
export class Origins {
  readonly #db: Db
  /** The time at which the last key that lists an origin expires, in Unix milliseconds, by origin. */
  #known: Promise<ReadonlyMap<string, number>> | undefined

  constructor(db: Db) {
    this.#db = db
  }

  clear(): void {
    this.#known = undefined
  }

  /** Whether any valid key lists the origin. `mayCache` is true while changes are being listened for, so that the result may be cached. */
  async has(origin: string, nowMs: number, mayCache: boolean): Promise<boolean> {
    const known = this.#known ?? this.#read(mayCache)
    return ((await known).get(origin) ?? 0) > nowMs
  }

  #read(mayCache: boolean): Promise<ReadonlyMap<string, number>> {
    const reading = store
      .originsOfAll(this.#db)
      .then(
        (rows) => new Map(rows.map((row) => [row.origin, row.ends?.getTime() ?? Number.POSITIVE_INFINITY])),
      )
    if (mayCache) this.#known = reading
    reading.catch(() => {
      if (this.#known === reading) this.#known = undefined
    })
    return reading
  }
}
