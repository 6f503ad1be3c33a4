/** Writes numbers of any width, the highest bit first. */
export class BitWriter {
  #bytes = new Uint8Array(1_024)
  #length = 0
  /** Bits that are not yet a byte, and how many. */
  #open = 0
  #count = 0

  /** The lowest `width` bits of a number that is not negative: 24 at most. */
  put(value: number, width: number): void {
    this.#open = (this.#open << width) | value
    this.#count += width
    while (this.#count >= 8) {
      this.#count -= 8
      this.#push((this.#open >>> this.#count) & 0xff)
    }
    this.#open &= (1 << this.#count) - 1
  }

  zeros(count: number): void {
    for (let left = count; left > 0; left -= 24) this.put(0, Math.min(24, left))
  }

  /** What was written, filled up with zeros to a whole byte. */
  bytes(): Uint8Array {
    if (this.#count > 0) this.put(0, 8 - this.#count)
    return this.#bytes.slice(0, this.#length)
  }

  #push(byte: number): void {
    if (this.#length === this.#bytes.length) {
      const grown = new Uint8Array(2 * this.#length)
      grown.set(this.#bytes)
      this.#bytes = grown
    }
    this.#bytes[this.#length++] = byte
  }
}
