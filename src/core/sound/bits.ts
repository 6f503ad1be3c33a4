/** Writes numbers of any width, the highest bit first. */
export class BitWriter {
  #bytes = new Uint8Array(1_024)
  #length = 0
  /** Bits that are not yet a byte, and how many. */
  #open = 0
  #count = 0

  /** Writes the lowest `width` bits, at most 24, of a number that is not negative. */
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

  /** The bytes that were written, filled up with zeros to a whole byte. */
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

/** The bytes ended in the middle of a number. */
export class EndOfBitsError extends Error {}

/** Reads numbers of any width, the highest bit first. */
export class BitReader {
  readonly bytes: Uint8Array
  /** The index of the next bit. */
  #at = 0

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  /** The bytes of which a bit was read. */
  get bytesRead(): number {
    return Math.ceil(this.#at / 8)
  }

  align(): void {
    this.#at = 8 * this.bytesRead
  }

  /** Reads up to 33 bits as a number that is not negative. @throws StarvedError */
  read(width: number): number {
    let value = 0
    let left = width
    while (left > 0) {
      const byte = this.bytes[this.#at >> 3]
      if (byte === undefined) throw new EndOfBitsError()
      const open = 8 - (this.#at & 7)
      const taken = Math.min(open, left)
      value = value * (1 << taken) + ((byte >> (open - taken)) & ((1 << taken) - 1))
      this.#at += taken
      left -= taken
    }
    return value
  }

  readSigned(width: number): number {
    const value = this.read(width)
    return value >= 2 ** (width - 1) ? value - 2 ** width : value
  }

  /** Counts the zeros before the next bit that is one, which is read too. @throws StarvedError */
  unary(): number {
    const from = this.#at
    for (;;) {
      const byte = this.bytes[this.#at >> 3]
      if (byte === undefined) throw new EndOfBitsError()
      const rest = (byte << (this.#at & 7)) & 0xff
      if (rest === 0) {
        this.#at = (this.#at | 7) + 1
        continue
      }
      this.#at += Math.clz32(rest) - 24
      this.#at += 1
      return this.#at - 1 - from
    }
  }
}
