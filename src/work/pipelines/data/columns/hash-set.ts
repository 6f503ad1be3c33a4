/** Counts distinct texts by 96-bit hashes: among two million texts, two different ones collide with a probability of 10⁻¹⁶. */
export class HashSet {
  #lanes: Uint32Array
  #capacity: number
  readonly #max: number
  size = 0
  /** True if the limit was reached, so that some were not counted. */
  isFull = false

  constructor(max: number) {
    this.#max = max
    this.#capacity = 1 << 12
    this.#lanes = new Uint32Array(3 * this.#capacity)
  }

  /** Adds a text; returns true if it is new. */
  add(text: string): boolean {
    let [a, b, c] = [0x9e3779b9, 0x85ebca6b, 0xc2b2ae35]
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      a = Math.imul(a ^ code, 0x01000193)
      b = Math.imul(b ^ code, 0x5bd1e995)
      c = Math.imul(c ^ code, 0x1b873593)
      a ^= a >>> 15
      b ^= b >>> 13
      c ^= c >>> 16
    }
    // Zero marks an empty slot.
    return this.#put((mixed(a ^ text.length) | 1) >>> 0, mixed(b), mixed(c))
  }

  #put(a: number, b: number, c: number): boolean {
    const mask = this.#capacity - 1
    const lanes = this.#lanes
    for (let slot = b & mask; ; slot = (slot + 1) & mask) {
      const at = 3 * slot
      if (lanes[at] === 0) {
        if (this.size >= this.#max) {
          this.isFull = true
          return true
        }
        lanes[at] = a
        lanes[at + 1] = b
        lanes[at + 2] = c
        this.size += 1
        if (this.size * 2 > this.#capacity) this.#grow()
        return true
      }
      if (lanes[at] === a && lanes[at + 1] === b && lanes[at + 2] === c) return false
    }
  }

  #grow(): void {
    const old = this.#lanes
    this.#capacity *= 2
    this.#lanes = new Uint32Array(3 * this.#capacity)
    this.size = 0
    for (let at = 0; at < old.length; at += 3)
      if (old[at] !== 0) this.#put(old[at]!, old[at + 1]!, old[at + 2]!)
  }
}

function mixed(hash: number): number {
  let own = hash
  own = Math.imul(own ^ (own >>> 16), 0x85ebca6b)
  own = Math.imul(own ^ (own >>> 13), 0xc2b2ae35)
  return (own ^ (own >>> 16)) >>> 0
}
