/** A cache whose values weigh no more than a limit together. A value is loaded once, however many callers wait for it. */
export class BoundedCache<Value> {
  readonly #limit: number
  readonly #entries = new Map<string, CacheEntry<Value>>()
  readonly #loading = new Map<string, Promise<Value | undefined>>()
  #weight = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get weight(): number {
    return this.#weight
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    entry.used = true
    return entry.value
  }

  /** The value, from `load` if it is not here; undefined if `load` returns undefined. Errors are not kept. */
  load(
    key: string,
    load: () => Promise<Value | undefined>,
    weigh: (value: Value) => number,
  ): Promise<Value | undefined> {
    const here = this.get(key)
    if (here !== undefined) return Promise.resolve(here)
    const under = this.#loading.get(key)
    if (under) return under
    const loading = load()
      .then((value) => {
        if (value !== undefined) this.#keep(key, value, weigh(value))
        return value
      })
      .finally(() => this.#loading.delete(key))
    this.#loading.set(key, loading)
    return loading
  }

  /** Adds to the weight of a value that has grown. A value that was just used or loaded is dropped only after others. */
  grow(key: string, by: number): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    entry.weight += by
    this.#weight += by
    this.#makeRoom()
  }

  delete(key: string): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    this.#weight -= entry.weight
    this.#entries.delete(key)
  }

  #keep(key: string, value: Value, weight: number): void {
    this.delete(key)
    if (weight > this.#limit) return
    this.#entries.set(key, { value, weight, used: false })
    this.#weight += weight
    this.#makeRoom(key)
  }

  /** Drops the oldest values; one that was used since the last round stays for another, so that a hit moves nothing. `except` was just added. */
  #makeRoom(except?: string): void {
    for (const [key, entry] of this.#entries) {
      if (this.#weight <= this.#limit) return
      if (key === except) continue
      this.#entries.delete(key)
      if (entry.used) {
        entry.used = false
        this.#entries.set(key, entry)
      } else this.#weight -= entry.weight
    }
  }
}

interface CacheEntry<Value> {
  value: Value
  weight: number
  used: boolean
}
