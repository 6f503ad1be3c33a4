import { readSync } from 'node:fs'

const windowBytes = 1 << 16

/** Reads bytes at any place of a file. */
export interface ByteWindow {
  readonly length: number
  /** The bytes at a place, up to some hundreds; fewer where the file ends. Valid until the next call. */
  at(place: number, length: number): Buffer
  /** A copy of the bytes from one place up to another, which are in the file. */
  copy(from: number, to: number): Buffer
}

/** A window on a file that is in memory. */
export const windowOn = (bytes: Buffer): ByteWindow => ({
  length: bytes.length,
  at: (place, length) => bytes.subarray(place, place + length),
  copy: (from, to) => Buffer.from(bytes.subarray(from, to)),
})

/**
 * A window on an open file that keeps some of the bytes in memory: whoever reads in order reads each byte once. Reads block, so it is for confined
 * processes.
 */
export class FileWindow implements ByteWindow {
  readonly length: number
  readonly #file: number
  readonly #window = Buffer.alloc(windowBytes)
  #from = 0
  #held = 0

  /** @param file the descriptor of the file, which the caller closes */
  constructor(file: number, length: number) {
    this.#file = file
    this.length = length
  }

  at(place: number, length: number): Buffer {
    const wanted = Math.max(0, Math.min(length, this.length - place))
    if (place < this.#from || place + wanted > this.#from + this.#held) this.#read(place)
    const from = place - this.#from
    return this.#window.subarray(from, Math.min(from + wanted, this.#held))
  }

  copy(from: number, to: number): Buffer {
    const bytes = Buffer.alloc(to - from)
    this.#fill(bytes, from)
    return bytes
  }

  #read(place: number): void {
    this.#from = place
    this.#held = this.#fill(this.#window, place)
  }

  /** Reads until the buffer is full or the file ends; returns how many bytes were read. */
  #fill(buffer: Buffer, place: number): number {
    let held = 0
    while (held < buffer.length) {
      const read = readSync(this.#file, buffer, held, buffer.length - held, place + held)
      if (read === 0) break
      held += read
    }
    return held
  }
}
