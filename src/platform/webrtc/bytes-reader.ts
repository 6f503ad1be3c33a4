/** Reads numbers and vectors of TLS messages, one after another. Throws RangeError if the bytes end early. */
export class BytesReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get rest(): number {
    return this.#bytes.length - this.#at
  }

  take(length: number): Buffer {
    if (length > this.rest) throw new RangeError('a message ends early')
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  uint(bytes: number): number {
    return this.take(bytes).readUIntBE(0, bytes)
  }

  /** Reads bytes that are preceded by their length, a number of `lengthBytes` bytes. */
  vector(lengthBytes: number): Buffer {
    return this.take(this.uint(lengthBytes))
  }
}

export function uint(value: number, bytes: number): Buffer {
  const encoded = Buffer.alloc(bytes)
  encoded.writeUIntBE(value, 0, bytes)
  return encoded
}

export const vector = (lengthBytes: number, ...parts: Buffer[]): Buffer => {
  const content = Buffer.concat(parts)
  return Buffer.concat([uint(content.length, lengthBytes), content])
}
