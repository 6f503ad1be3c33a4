/** Writes bits from the left, and the codes of Exp-Golomb (H.264, 9.1). */
export class BitWriter {
  readonly #bytes: Uint8Array
  #length = 0

  constructor(maxBytes: number) {
    this.#bytes = new Uint8Array(maxBytes)
  }

  /** @param width at most 32 */
  number(value: number, width: number): this {
    for (let bit = width - 1; bit >= 0; bit--) {
      if ((value >>> bit) & 1) this.#bytes[this.#length >> 3]! |= 0x80 >> (this.#length & 7)
      this.#length += 1
    }
    return this
  }

  /** Writes an unsigned number as `ue(v)`. */
  golomb(value: number): this {
    const width = 32 - Math.clz32(value + 1)
    return this.number(0, width - 1).number(value + 1, width)
  }

  flags(...values: (0 | 1)[]): this {
    for (const value of values) this.number(value, 1)
    return this
  }

  align(): this {
    this.#length = (this.#length + 7) & ~7
    return this
  }

  /** Writes whole bytes, from a whole byte on. */
  bytes(values: Uint8Array): this {
    this.#bytes.set(values, this.#length >> 3)
    this.#length += 8 * values.length
    return this
  }

  /** The bytes, ended as NAL units end: by a one, and zeros up to the whole byte. */
  ended(): Uint8Array {
    this.number(1, 1).align()
    return this.#bytes.subarray(0, this.#length >> 3)
  }
}
