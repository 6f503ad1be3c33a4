import { readSync } from 'node:fs'

const windowBytes = 1 << 16

/** Reads bytes at any place of a file. */
export interface ByteWindow {
  readonly length: number
  /** The bytes at a place, up to some hundreds; fewer where the file ends. Valid until the next call. */
  at(place: number, length: number): Buffer
}

/** A window on a file that is in memory. */
export const windowOn = (bytes: Buffer): ByteWindow => ({
  length: bytes.length,
  at: (place, length) => bytes.subarray(place, place + length),
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

  #read(place: number): void {
    this.#from = place
    this.#held = 0
    while (this.#held < windowBytes) {
      const read = readSync(
        this.#file,
        this.#window,
        this.#held,
        windowBytes - this.#held,
        place + this.#held,
      )
      if (read === 0) return
      this.#held += read
    }
  }
}
