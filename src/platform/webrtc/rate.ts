/** A rate limit that allows `perSecond`, and after a silence `burst` at once. */
export class Rate {
  readonly #perSecond: number
  readonly #burst: number
  #left: number
  #atMs: number

  constructor(limits: { perSecond: number; burst: number }, nowMs: number) {
    this.#perSecond = limits.perSecond
    this.#burst = limits.burst
    this.#left = limits.burst
    this.#atMs = nowMs
  }

  /** Takes an amount. Returns false, and takes nothing, if it exceeds the limit. */
  take(amount: number, nowMs: number): boolean {
    const passedMs = Math.max(0, nowMs - this.#atMs)
    this.#left = Math.min(this.#burst, this.#left + (passedMs * this.#perSecond) / 1_000)
    this.#atMs = nowMs
    if (amount > this.#left) return false
    this.#left -= amount
    return true
  }
}
