/** Every choice of a simulated world, drawn from one seed (xorshift128, seeded by splitmix32). */
export class Random {
  readonly #state: [number, number, number, number]

  constructor(seed: number) {
    let mix = seed | 0
    const next = (): number => {
      mix = (mix + 0x9e3779b9) | 0
      let word = Math.imul(mix ^ (mix >>> 16), 0x21f0aaad)
      word = Math.imul(word ^ (word >>> 15), 0x735a2d97)
      return (word ^ (word >>> 15)) | 1
    }
    this.#state = [next(), next(), next(), next()]
  }

  /** 0 ≤ x < 1. */
  next(): number {
    const [a, b, c, d] = this.#state
    let word = d ^ (d << 11)
    word ^= word >>> 8
    word ^= a ^ (a >>> 19)
    this.#state.splice(0, 4, word, a, b, c)
    return (word >>> 0) / 2 ** 32
  }

  /** True with this probability. */
  chance(share: number): boolean {
    return this.next() < share
  }

  /** A whole number, both ends included. */
  between(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1))
  }

  pick<One>(from: readonly One[]): One {
    return from[Math.floor(this.next() * from.length)]!
  }
}
